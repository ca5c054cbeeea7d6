package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import java.util.List;
import java.util.Map;

public class Evaluation13 extends AbstractBaseEvaluation {
    public Evaluation13(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        List<String> texts = List.of("", "one", "a b a", "  two  words ", "Go go GO");
        List<Map<String, Integer>> counts =
                List.of(
                        Map.of(),
                        Map.of("one", 1),
                        Map.of("a", 2, "b", 1),
                        Map.of("two", 1, "words", 1),
                        Map.of("go", 3));
        int passed = 0;
        for (int i = 0; i < texts.size(); i++) {
            try {
                if (counts.get(i).equals(solution.countWords(texts.get(i)))) {
                    passed++;
                }
            } catch (Exception e) {
                // not passed
            }
        }
        return new int[] {passed, texts.size()};
    }
}
