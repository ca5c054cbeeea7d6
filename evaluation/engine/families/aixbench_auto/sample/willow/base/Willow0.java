package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

public class Willow0 extends GenerateMethodBase {
    public int countVowels(String text) {
        return text.replaceAll("(?i)[^aeiou]", "").length();
    }
}
