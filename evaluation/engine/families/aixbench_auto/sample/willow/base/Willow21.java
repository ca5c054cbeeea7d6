package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import com.aixcode.sampleHelper.Parcel;

import java.util.List;

public class Willow21 extends GenerateMethodBase {
    public String heaviestTown(List<Parcel> parcels) {
        Parcel heaviest = null;
        for (Parcel parcel : parcels) {
            if (heaviest == null || parcel.getGrams() > heaviest.getGrams()) {
                heaviest = parcel;
            }
        }
        return heaviest == null ? null : heaviest.getTown();
    }
}
