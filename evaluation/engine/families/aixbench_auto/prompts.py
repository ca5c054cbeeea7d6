"""The prompts for a model. The benchmark supplies a sentence and a signature per task, but no words
for chat models: these are ours."""

from collections.abc import Mapping

TEXTS: Mapping[str, str] = {
    "en": (
        "Write a Java method that does what the following comment says and has the signature that "
        "stands below it. Answer with one code block that holds the method, and the imports and "
        "helper methods that it needs.\n\n{raw_nl}\n{signature}"
    ),
    "zh": (
        "请编写一个 Java 方法，实现以下注释所描述的功能，并使用注释下方给出的方法签名。"
        "请只用一个代码块作答，其中包含该方法以及它所需的 import 语句和辅助方法。"
        "\n\n{raw_nl}\n{signature}"
    ),
}
