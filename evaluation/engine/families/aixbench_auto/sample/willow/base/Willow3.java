package com.aixcode.autoTest.generate.willow;

import com.aixcode.autoTest.GenerateMethodBase;

import java.util.*;

public class Willow3 extends GenerateMethodBase {
    public <T> List<T> everySecond(List<T> items) {
        Iterator<T> rest = items.iterator();
        while (rest.hasNext()) {
            rest.next();
            if (rest.hasNext()) {
                rest.next();
                rest.remove();
            }
        }
        return items;
    }
}
