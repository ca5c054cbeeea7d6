package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import java.util.LinkedHashMap;
import java.util.Map;

public class Evaluation0 extends AbstractBaseEvaluation {
    public Evaluation0(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        Map<String, Integer> expected = new LinkedHashMap<>();
        expected.put("", 0);
        expected.put("rhythm", 0);
        expected.put("banana", 3);
        expected.put("Audio", 4);
        expected.put("OUIJA", 4);
        int passed = 0;
        for (Map.Entry<String, Integer> each : expected.entrySet()) {
            try {
                if (solution.countVowels(each.getKey()) == each.getValue()) {
                    passed++;
                }
            } catch (Exception e) {
                // not passed
            }
        }
        return new int[] {passed, expected.size()};
    }
}
