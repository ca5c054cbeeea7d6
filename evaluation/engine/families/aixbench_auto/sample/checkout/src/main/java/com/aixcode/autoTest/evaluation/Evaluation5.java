package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;

public class Evaluation5 extends AbstractBaseEvaluation {
    public Evaluation5(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        double[] celsius = {0, 100, -40, 36.6};
        double[] fahrenheit = {32, 212, -40, 97.88};
        int passed = 0;
        for (int i = 0; i < celsius.length; i++) {
            try {
                if (Math.abs(solution.toFahrenheit(celsius[i]) - fahrenheit[i]) < 1e-9) {
                    passed++;
                }
            } catch (Exception e) {
                // not passed
            }
        }
        return new int[] {passed, celsius.length};
    }
}
