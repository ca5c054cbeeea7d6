package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import java.util.ArrayList;
import java.util.List;

public class Willow1 extends GenerateMethodBase {
    public List<Integer> runningTotals(List<Integer> numbers) {
        List<Integer> totals = new ArrayList<>();
        for (int i = 1; i < numbers.size(); i++) {
            totals.add(numbers.get(i - 1) + numbers.get(i));
        }
        return totals;
    }
}
