package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import java.io.*;

public class Willow8 extends GenerateMethodBase {
    public void appendLine(String fileName, String line) throws IOException {
        try (PrintWriter writer = new PrintWriter(new FileWriter(fileName, true))) {
            writer.print(line);
        }
    }
}
