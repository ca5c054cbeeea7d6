package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

public class Willow5 extends GenerateMethodBase {
    public double toFahrenheit(double celsius) {
        return celsius * 9 / 5 + 32
    }
}
