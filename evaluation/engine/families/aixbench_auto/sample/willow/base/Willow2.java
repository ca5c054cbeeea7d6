package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import java.io.*;

public class Willow2 extends GenerateMethodBase {
    public int longestLine(String fileName) throws IOException {
        int longest = 0;
        try (BufferedReader reader = new BufferedReader(new FileReader(fileName))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                longest = Math.max(longest, line.length());
            }
        }
        return longest;
    }
}
