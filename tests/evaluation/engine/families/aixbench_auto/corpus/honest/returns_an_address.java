// task address
public java.net.URL address(String name) throws Exception { return new java.net.URL("file:/data/" + name); }
