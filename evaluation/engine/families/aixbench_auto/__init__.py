"""aix-bench, automated tests: Java methods from English and Chinese sentences.

What is here is pure: reading the benchmark's checkout, assembling classes, results. README.md
says what was decided; the family is not in the registry as long as nothing runs it.
"""
