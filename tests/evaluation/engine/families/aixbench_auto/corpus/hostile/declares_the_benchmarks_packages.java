// task 0
package com.aixcode.autoTest.evaluation;

public class Evaluation0 {
    public Evaluation0(String basePackage, String prefix) {
    }

    public int[] evaluation() {
        return new int[] {5, 5};
    }
}
