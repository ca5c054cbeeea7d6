package samples.ferry;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class DeckTest {

    @Test
    public void loads() {
        Deck deck = new Deck(2, 100);
        assertEquals(0, deck.load(60));
        assertEquals(1, deck.load(50));
        assertEquals(0, deck.load(40));
        assertEquals(1, deck.load(50));
        assertEquals(-1, deck.load(1));
    }

    @Test
    public void longVehicle() {
        Deck deck = new Deck(3, 100);
        assertEquals(-1, deck.load(101));
        assertEquals(300, deck.room());
        assertEquals(0, deck.load(100));
    }

    @Test
    public void room() {
        Deck deck = new Deck(2, 100);
        deck.load(60);
        deck.load(50);
        assertEquals(90, deck.room());
        assertEquals(0, new Deck(0, 100).room());
    }
}
