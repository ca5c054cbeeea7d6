package assay.outside;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;

/** Frames over the socket that is standard input: four bytes of length, then the body. */
final class Frames {
    /** The maximum number of bytes of a frame that crosses between the two sides. */
    static final int MOST = 8 << 20;

    private final DataInputStream in =
            new DataInputStream(new FileInputStream(FileDescriptor.in));
    private final DataOutputStream out =
            new DataOutputStream(new FileOutputStream(FileDescriptor.in));

    byte[] read() throws IOException {
        byte[] body = new byte[in.readInt()];
        in.readFully(body);
        return body;
    }

    /** Writes once, so that no other thread writes between length and body. */
    void write(byte[] body) throws IOException {
        byte[] whole = new byte[4 + body.length];
        for (int at = 0; at < 4; at++) {
            whole[at] = (byte) (body.length >> (24 - 8 * at));
        }
        System.arraycopy(body, 0, whole, 4, body.length);
        out.write(whole);
    }
}
