; What is told apart of Kotlin.

[(line_comment) (block_comment) (shebang)] @comment

[(string_literal) (multiline_string_literal) (character_literal)] @string
(escape_sequence) @escape
(interpolation) @embedded

[(number_literal) (float_literal)] @number

(user_type (identifier) @type)
(class_declaration name: (identifier) @type)
(object_declaration name: (identifier) @type)
(type_alias type: (identifier) @type)
(enum_entry (identifier) @constant)

(function_declaration name: (identifier) @function)
(call_expression . (identifier) @function)
(call_expression . (navigation_expression (identifier) @function .))

(annotation) @attribute
(label) @label

[(this_expression) (super_expression)] @variable.builtin

[
  (visibility_modifier)
  (class_modifier)
  (member_modifier)
  (function_modifier)
  (property_modifier)
  (inheritance_modifier)
  (parameter_modifier)
  (platform_modifier)
  (reification_modifier)
] @keyword

[
  "as"
  "as?"
  "by"
  "catch"
  "class"
  "companion"
  "constructor"
  "do"
  "else"
  "finally"
  "for"
  "fun"
  "get"
  "if"
  "import"
  "in"
  "!in"
  "init"
  "interface"
  "is"
  "!is"
  "object"
  "package"
  "return"
  "set"
  "throw"
  "try"
  "typealias"
  "val"
  "var"
  "when"
  "where"
  "while"
] @keyword
