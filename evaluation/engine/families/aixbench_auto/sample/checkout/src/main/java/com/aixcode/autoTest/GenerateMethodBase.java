package com.aixcode.autoTest;

import com.aixcode.sampleHelper.Parcel;

import java.util.*;

public abstract class GenerateMethodBase {
    public int countVowels(String text) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public List<Integer> runningTotals(List<Integer> numbers) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public int longestLine(String fileName) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public <T> List<T> everySecond(List<T> items) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public double toFahrenheit(double celsius) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public void appendLine(String fileName, String line) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public Map<String, Integer> countWords(String text) throws Exception {
        throw new RuntimeException("Not implemented");
    }

    public String heaviestTown(List<Parcel> parcels) throws Exception {
        throw new RuntimeException("Not implemented");
    }
}
