use super::*;

#[test]
fn cells_are_numbered_and_outputs_cut() {
    let notebook = r##"{"nbformat": 4, "metadata": {"language_info": {"name": "python"}},
            "cells": [
                {"cell_type": "markdown", "source": ["# Title\n", "words"]},
                {"cell_type": "code", "source": "f()", "outputs": [
                    {"output_type": "stream", "text": ["one\n", "two\n"]},
                    {"output_type": "display_data",
                     "data": {"image/png": "abcd", "text/plain": "<Figure>"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "no"}
                ]},
                {"cell_type": "code", "source": [], "outputs": [{"text": "LINES"}]}
            ]}"##
        .replace("LINES", &"x\\n".repeat(22));
    let expected = "[cell 1: markdown]\n# Title\nwords\n[cell 2: python]\nf()\n\
        [output of cell 2]\none\ntwo\n[output of cell 2]\n<Figure>\n[image/png, 4 characters]\n\
        [output of cell 2]\nValueError: no\n[cell 3: python]\n\n[output of cell 3]\n"
        .to_owned()
        + &"x\n".repeat(20)
        + "[2 more lines]\n";
    assert_eq!(Notebook::parse(&notebook).expect("a notebook").to_text(), expected);
}

#[test]
fn other_json_is_no_notebook() {
    for text in ["", "{}", "[1]", r#"{"cells": []}"#, r#"{"nbformat": 4, "cells": 3}"#] {
        assert_eq!(Notebook::parse(text), None, "{text}");
    }
}
