package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import java.util.ArrayList;
import java.util.List;

public class Evaluation3 extends AbstractBaseEvaluation {
    public Evaluation3(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        int passed = 0;
        try {
            if (solution.everySecond(List.of("a", "b", "c", "d", "e")).equals(List.of("a", "c", "e"))) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        try {
            List<Integer> numbers = new ArrayList<>(List.of(1, 2));
            if (solution.everySecond(numbers).equals(List.of(1)) && numbers.size() == 2) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        try {
            if (solution.everySecond(List.of()).isEmpty()) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        return new int[] {passed, 3};
    }
}
