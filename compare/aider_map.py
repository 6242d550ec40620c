"""Prints Aider's repository map of a folder, of at most so many tokens (o200k).

    pip install aider-chat
    python3 aider_map.py FOLDER TOKENS > MAP

The map is that of a conversation without files, of all files that git tracks. Aider lets
such a map have eight times the tokens that were asked for; here it is held to them, as
foveal's is. Its search ends when it is within 15 % of the budget, so that it may have
somewhat more.
"""

import contextlib
import importlib.util
import os
import subprocess
import sys
import tempfile

# What Aider brings along has the tokenizer's table, so that none is downloaded.
litellm = importlib.util.find_spec("litellm").submodule_search_locations[0]
os.environ.setdefault("TIKTOKEN_CACHE_DIR", f"{litellm}/litellm_core_utils/tokenizers")

import tiktoken
from aider.io import InputOutput
from aider.repomap import RepoMap


class Model:
    """What the map asks of a model: how many tokens a text has."""

    def __init__(self):
        self.encoding = tiktoken.get_encoding("o200k_base")

    def token_count(self, text):
        return len(self.encoding.encode_ordinary(text))


def main():
    folder, tokens = sys.argv[1], int(sys.argv[2])
    listed = subprocess.run(["git", "-C", folder, "ls-files", "-z"], capture_output=True, check=True)
    files = [f"{folder}/{name}" for name in listed.stdout.decode().split("\0") if name]
    io = InputOutput(pretty=False, yes=True)
    # It says on the way that it scans the repository.
    aside = contextlib.redirect_stdout(sys.stderr)
    with tempfile.TemporaryDirectory() as cache, aside:
        RepoMap.TAGS_CACHE_DIR = cache
        made = RepoMap(
            map_tokens=tokens, root=folder, main_model=Model(), io=io, map_mul_no_files=1
        )
        text = made.get_repo_map([], files) or ""
    print(text)


main()
