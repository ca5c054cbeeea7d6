package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import java.util.ArrayList;
import java.util.List;

public class Evaluation1 extends AbstractBaseEvaluation {
    public Evaluation1(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        List<List<Integer>> inputs = List.of(List.of(), List.of(4), List.of(1, 2, 3), List.of(5, -5, 7));
        List<List<Integer>> outputs = List.of(List.of(), List.of(4), List.of(1, 3, 6), List.of(5, 0, 7));
        int passed = 0;
        for (int i = 0; i < inputs.size(); i++) {
            try {
                if (outputs.get(i).equals(solution.runningTotals(new ArrayList<>(inputs.get(i))))) {
                    passed++;
                }
            } catch (Exception e) {
                // not passed
            }
        }
        return new int[] {passed, inputs.size()};
    }
}
