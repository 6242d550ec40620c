//! The source of the parser's runtime, changed to count its work.
//!
//! tree-sitter reports its progress every hundred operations. An operation usually takes some
//! tenths of a microsecond, but seconds if a scanner reads on to the end of the text, if many parse
//! stacks are followed back at once, or if an error is repaired. The copy counts the work in
//! between, and reports progress as often as that is worth. A caller that stops a parser after a
//! number of reports bounds its work, the same on every machine.

/// The runtime cannot be copied: its source has an unexpected form.
#[derive(Debug, thiserror::Error)]
#[error("no single `{text}` in {file}")]
pub(crate) struct RuntimeError {
    file: &'static str,
    text: &'static str,
}

/// A file of the runtime, and the replacements in it.
type SourcePatch = (&'static str, &'static [(&'static str, &'static str)]);

/// The file that includes all others.
pub(crate) const MAIN_SOURCE: &str = "lib.c";

/// All changes.
pub(crate) const PATCHES: &[SourcePatch] =
    &[("parser.c", PARSER), ("stack.c", STACK), ("subtree.c", SUBTREE), ("lexer.c", LEXER)];

/// Reports progress in proportion to the work, and counts the look-ups of error recovery.
const PARSER: &[(&str, &str)] = &[
    (
        r#"    data = ts_external_scanner_state_data(&external_token.ptr->external_scanner_state);
    length = external_token.ptr->external_scanner_state.length;
"#,
        r#"    data = ts_external_scanner_state_data(&external_token.ptr->external_scanner_state);
    length = external_token.ptr->external_scanner_state.length;
    foveal_steps += 2 * length + (length > FOVEAL_STATE_BYTES ? FOVEAL_STATE_STEPS : 0);
"#,
    ),
    (
        r#"static bool ts_parser__check_progress(TSParser *self,"#,
        r#"static bool foveal_is_stopped(TSParser *self, unsigned reports) {
  while (reports-- > 0) {
    if (
      self->parse_options.progress_callback &&
      self->parse_options.progress_callback(&self->parse_state)
    ) return true;
  }
  return false;
}

static bool ts_parser__check_progress(TSParser *self,"#,
    ),
    (
        r#"  self->operation_count += operations;
  if (self->operation_count >= OP_COUNT_PER_PARSER_CALLBACK_CHECK) {
    self->operation_count = 0;
  }
"#,
        r#"  self->operation_count += operations + foveal_take_operations();
  unsigned reports = self->operation_count / OP_COUNT_PER_PARSER_CALLBACK_CHECK;
  self->operation_count %= OP_COUNT_PER_PARSER_CALLBACK_CHECK;
"#,
    ),
    (
        r#"    self->operation_count == 0 &&
    (self->parse_options.progress_callback && self->parse_options.progress_callback(&self->parse_state))
"#,
        r#"    foveal_is_stopped(self, reports)
"#,
    ),
    (
        r#"  self->included_range_difference_index = 0;

  self->operation_count = 0;
"#,
        r#"  self->included_range_difference_index = 0;

  self->operation_count = 0;
  foveal_steps = 0;
"#,
    ),
    (
        r#"        missing_symbol++
      ) {
"#,
        r#"        missing_symbol++
      ) {
        foveal_steps += 8;
"#,
    ),
    (
        r#"      while (ts_lookahead_iterator__next(&iter)) {
"#,
        r#"      while (ts_lookahead_iterator__next(&iter)) {
        foveal_steps += 4;
"#,
    ),
];

/// Counts the merging and following of stacks, and bounds the copies made for it.
const STACK: &[(&str, &str)] = &[
    (
        r#"  if (link.node == self) return;
"#,
        r#"  foveal_steps += 8;
  if (link.node == self) return;
"#,
    ),
    (
        r#"  array_clear(&self->iterators);

  StackHead *head"#,
        r#"  array_clear(&self->iterators);
  uint32_t copied = 0;

  StackHead *head"#,
    ),
    (
        r#"      StackNode *node = iterator->node;

      StackAction action"#,
        r#"      StackNode *node = iterator->node;
      foveal_steps += 4;

      StackAction action"#,
    ),
    (
        r#"          if (self->iterators.size >= MAX_ITERATOR_COUNT) continue;
"#,
        r#"          if (self->iterators.size >= MAX_ITERATOR_COUNT || copied > FOVEAL_COPIED_MAX) continue;
"#,
    ),
    (
        r#"          ts_subtree_array_copy(next_iterator->subtrees, &next_iterator->subtrees);
"#,
        r#"          copied += next_iterator->subtrees.size;
          ts_subtree_array_copy(next_iterator->subtrees, &next_iterator->subtrees);
"#,
    ),
];

/// Counts children that are summed up, compared or copied.
const SUBTREE: &[(&str, &str)] = &[
    (
        r#"  const Subtree *children = ts_subtree_children(self);
  for (uint32_t i = 0; i < self.ptr->child_count; i++) {
    Subtree child = children[i];

    if (
      (i == 0"#,
        r#"  foveal_steps += 8 * (uint64_t)self.ptr->child_count;
  const Subtree *children = ts_subtree_children(self);
  for (uint32_t i = 0; i < self.ptr->child_count; i++) {
    Subtree child = children[i];

    if (
      (i == 0"#,
    ),
    (
        r#"    left = ts_subtree_from_mut(array_pop(&pool->tree_stack));

"#,
        r#"    left = ts_subtree_from_mut(array_pop(&pool->tree_stack));
    foveal_steps += 4;

"#,
    ),
    (
        r#"void ts_subtree_array_copy(SubtreeArray self, SubtreeArray *dest) {
"#,
        r#"void ts_subtree_array_copy(SubtreeArray self, SubtreeArray *dest) {
  foveal_steps += 4 * (uint64_t)self.size + 8;
"#,
    ),
];

/// Counts characters as often as they are read.
const LEXER: &[(&str, &str)] = &[
    (
        r#"  Lexer *self = (Lexer *)_self;
  if (!self->chunk) return;
"#,
        r#"  Lexer *self = (Lexer *)_self;
  if (!self->chunk) return;
  foveal_steps += 2;
"#,
    ),
    (
        r#"    ts_lexer__set_column_data(self, 0);
    ts_lexer__get_chunk(self);
"#,
        r#"    ts_lexer__set_column_data(self, 0);
    foveal_steps += goal_byte - start_of_col.bytes;
    ts_lexer__get_chunk(self);
"#,
    ),
];

/// Returns `source`, the text of `file`, with `changes` applied.
///
/// # Errors
/// If a text to be replaced does not occur exactly once.
pub(crate) fn add_work_counting(
    file: &'static str,
    changes: &[(&'static str, &str)],
    source: &str,
) -> Result<String, RuntimeError> {
    let mut made = source.to_owned();
    for (text, by) in changes {
        if made.matches(text).count() != 1 {
            return Err(RuntimeError { file, text });
        }
        made = made.replacen(text, by, 1);
    }
    Ok(made)
}
