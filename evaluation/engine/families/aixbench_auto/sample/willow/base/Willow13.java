package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import java.util.*;

public class Willow13 extends GenerateMethodBase {
    public Map<String, Integer> countWords(String text) {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : text.split(" ")) {
            counts.put(word, counts.getOrDefault(word, 0) + 1);
        }
        return counts;
    }
}
