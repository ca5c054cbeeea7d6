package warm;

import java.io.*;
import java.math.*;
import java.net.*;
import java.nio.*;
import java.nio.charset.*;
import java.nio.file.Path;
import java.text.DateFormat;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;

public abstract class Base {
    public abstract String joined(List<String> words, Map<String, Integer> counts) throws Exception;
}
