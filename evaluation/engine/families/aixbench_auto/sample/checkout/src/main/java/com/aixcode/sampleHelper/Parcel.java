package com.aixcode.sampleHelper;

public class Parcel {
    private final String town;
    private final int grams;

    public Parcel(String town, int grams) {
        this.town = town;
        this.grams = grams;
    }

    public String getTown() {
        return town;
    }

    public int getGrams() {
        return grams;
    }
}
