package assay.outside;

/** A value that is not plain data; the message names its class or the bound that it exceeds. */
public final class NotPlain extends Exception {
    NotPlain(String message) {
        super(message);
    }
}
