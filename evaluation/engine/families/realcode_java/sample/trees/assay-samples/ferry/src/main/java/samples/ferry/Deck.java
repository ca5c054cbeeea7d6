package samples.ferry;

import java.util.ArrayList;
import java.util.List;

/** A ferry's car deck: lanes of a length, vehicles one behind the other. */
public class Deck {

    private final int laneLength;
    private final List<Integer> lanes = new ArrayList<>();

    public Deck(int lanes, int laneLength) {
        this.laneLength = laneLength;
        for (int i = 0; i < lanes; i++) {
            this.lanes.add(0);
        }
    }

    /** Puts a vehicle into the first lane that has room; the lane's number, or -1. */
    public int load(int length) {
        for (int lane = 0; lane < lanes.size(); lane++) {
            if (lanes.get(lane) + length <= laneLength) {
                lanes.set(lane, lanes.get(lane) + length);
                return lane;
            }
        }
        return -1;
    }

    /** How much room is left in all lanes together. */
    public int room() {
        int room = 0;
        for (int taken : lanes) {
            room += laneLength - taken;
        }
        return room;
    }
}
