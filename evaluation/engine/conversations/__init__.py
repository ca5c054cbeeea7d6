"""What is said in conversations about code, and by which rules.

Pure: nothing here asks a model, runs code or knows a family. `static` and `filling` make the
messages of conversations whose course is fixed, `dialogue` holds the rules of those that go on by
what was passed, `wording` their texts, and `replay` compares a finished one with the rules.
"""
