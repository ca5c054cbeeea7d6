package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import com.aixcode.sampleHelper.Parcel;
import java.util.List;

public class Evaluation21 extends AbstractBaseEvaluation {
    public Evaluation21(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        Parcel light = new Parcel("Lyme", 120);
        Parcel heavy = new Parcel("Wells", 900);
        Parcel both = new Parcel("Lyme", 850);
        int passed = 0;
        try {
            if ("Wells".equals(solution.heaviestTown(List.of(light, heavy)))) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        try {
            if ("Lyme".equals(solution.heaviestTown(List.of(light, heavy, both)))) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        try {
            if (solution.heaviestTown(List.of()) == null) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        return new int[] {passed, 3};
    }
}
