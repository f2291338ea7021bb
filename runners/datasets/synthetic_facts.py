"""The facts of the synthetic test split: things, values and the sentences that state them."""

from __future__ import annotations

from runners.datasets.synthetic_kinds import Joint, Kind, Wish, Wording, names

_KINDS = (
    Kind.parse(
        "shop",
        "home",
        """
        things: floor lamp=standing lamp; writing desk; leather armchair=big armchair; clothes airer; fire screen; laundry basket=washing basket
        values: Harlow and Finch; Brindle Lane; Oakum Supply; Pellworth; Tilden Mercantile; Marrow Street Market; Vantry; Quillon House; Saltbox Traders; Dunmore Depot; Larkhill Stores
        say: I finally got my {thing} at {value}, it was the last one they had.
        say: My {thing} came from {value}, in case you wonder why it is so sturdy.
        ask: Where did I buy my {thing}?
        ask: Which store did I buy my {thing} from?
        other: {who} bought {a} at {value} and keeps recommending it.
        other: {who} got a second {thing} from {value} last month.
        aside: Buying my {thing} was a good decision, I use it constantly.
        aside: I wonder where to put my {thing} when guests come.
        """,
    ),
    Kind.parse(
        "price",
        "kitchen",
        """
        things: espresso machine; bread knife=loaf knife; stand mixer; pressure cooker; cast iron skillet=heavy iron pan; waffle maker; water filter; juicer; copper kettle; pasta roller
        values: $85; $140; $62; $230; $47; $118; $96; $175; $54; $310; $73; $129; $38; $205; $66; $150
        say: My {thing} set me back {value}, which felt like a lot at the time.
        say: I spent {value} on my {thing} and have not regretted it.
        ask: How much did I pay for my {thing}?
        ask: What did my {thing} cost?
        other: {who} paid {value} for {a} last year.
        other: {who} says a decent {thing} should not cost more than {value}.
        aside: I would pay somebody to clean my {thing} for me.
        aside: My {thing} cost me a lot of patience at first.
        """,
    ),
    Kind.parse(
        "petname",
        "pets",
        """
        things: tortoise; gray parrot=talking parrot; hamster; rescue greyhound=rescue dog; rabbit
        values: Biscuit; Pepper; Waffles; Domino; Clementine; Pickle; Mango; Truffle; Sprocket; Nutmeg; Juniper; Olive; Socks; Gizmo
        say: We settled on {value} for our {thing} after a long family vote.
        say: {value}, my {thing}, has been asleep in the laundry all morning.
        ask: What is the name of my {thing}?
        ask: What did I name my {thing}?
        other: {who} has {a} named {value} that never stops eating.
        other: {who} wants to name the new {thing} {value}.
        aside: My {thing} does not even look up when I call the name.
        aside: Does {a} actually recognize its own name?
        """,
    ),
    Kind.parse(
        "giver",
        "keepsakes",
        """
        things: fountain pen; wool blanket; record player=turntable; chess set; hand mirror; music box; barometer=weather glass; jewelry box
        values: Rosalind; Mateo; Anneke; Kofi; Saskia; Bram; Odette; Casper; Linnea; Dario; Ottilie; Fergus
        say: The {thing} was a birthday present from {value}, who always finds the right thing.
        say: {value} surprised me with the {thing} when I moved here.
        ask: Who gave me the {thing}?
        ask: Who did I get the {thing} from?
        other: {who} gave {a} to {value} for an anniversary.
        other: {who} got {a} from {value} and has never used it.
        aside: I would never give the {thing} away.
        aside: The {thing} gave me quite some trouble when I cleaned it.
        """,
    ),
    Kind.parse(
        "paint",
        "rooms",
        """
        things: hallway; garden shed=tool shed; bookcase; spare room=guest room; front door
        values: sage green; dusty blue; burnt orange; pale yellow; charcoal gray; dark plum; brick red; warm white; olive brown; sky blue
        say: I went with {value} for the {thing}, two coats of it.
        say: The {thing} is {value} now, and I keep going in just to look at it.
        ask: What color did I paint the {thing}?
        ask: Which color did I choose for the {thing}?
        other: {who} painted their {thing} {value} and regrets it.
        other: {who} chose {value} as the color for a {thing}.
        aside: I still have to choose the color of the handles for the {thing}.
        aside: Painting the {thing} took me the whole weekend.
        """,
    ),
    Kind.parse(
        "start",
        "classes",
        """
        things: ceramics class; choir rehearsal=choir practice; fencing lesson; tango course; archery training
        values: 6:45 pm; 7:15 pm; 5:30 pm; 8:10 am; 6:20 pm; 7:50 pm; 9:40 am; 5:55 pm; 4:35 pm; 8:25 pm
        say: My {thing} begins at {value}, so I have to leave work on the dot.
        say: I have to be at my {thing} by {value} sharp.
        ask: What time does my {thing} start?
        ask: At what time does my {thing} start?
        other: {who} goes to {a} that starts at {value}.
        other: {who} was late because the {thing} over there starts at {value}.
        aside: I need some time to unwind before my {thing} starts.
        aside: At the start my {thing} felt intimidating.
        """,
    ),
    Kind.parse(
        "ride",
        "commute",
        """
        things: the climbing gym; the allotment=my vegetable plot; the language school; the swimming hall
        values: 35 minutes; 50 minutes; 25 minutes; 40 minutes; 55 minutes; 18 minutes; 65 minutes; 12 minutes
        say: Getting to {thing} is {value} door to door for me.
        say: I need {value} to reach {thing} when the bus is on time.
        ask: How long does it take me to get to {thing}?
        other: {who} says it takes {value} to get to {thing} from over there.
        other: {who} takes {value} to get to {thing} by car.
        aside: It takes a lot of discipline to get to {thing} in winter.
        aside: I should get up earlier on the days I go to {thing}.
        """,
    ),
    Kind.parse(
        "title",
        "reading",
        """
        things: podcast; novel; documentary; graphic novel; audiobook; detective story
        values: The Glass Orchard; Nine Quiet Rivers; Salt and Cinders; The Last Lamplighter; Borrowed Weather; A Map of Small Hours; The Paper Harbor; Winter Arithmetic; Under Tin Roofs; The Cartographer's Niece; Slow Thunder; Letters to the Tide
        say: {person} told me I have to try the {thing} "{value}".
        say: {person} will not stop praising "{value}", {a} that sounds just right for me.
        ask: Which {thing} did {person} recommend to me?
        ask: What is the {thing} that {person} recommended to me?
        other: {who} recommended the {thing} "{value}" to the whole office.
        other: {who} read "{value}", {a} about a lighthouse, and recommended it to everybody.
        aside: I asked {person} how to find time for {a}.
        aside: {person} and I never agree on what makes a good {thing}.
        """,
    ),
    Kind.parse(
        "count",
        "garden",
        """
        things: tomato seedlings; lavender bushes; strawberry plants=berry plants; tulip bulbs
        values: 14; 22; 36; 18; 27; 45; 16; 31; 24
        say: I put {value} {thing} into the ground along the fence on Sunday.
        ask: How many {thing} did I plant?
        other: {who} planted {value} {thing} and lost half of them to slugs.
        aside: How deep should I plant {thing}?
        aside: Last year I planted too many {thing} too close together.
        """,
    ),
    Kind.parse(
        "city",
        "",
        """
        things: person
        values: Porto; Ghent; Tampere; Bergen; Lyon; Trieste; Aarhus; Galway; Utrecht; Bilbao; Graz; Zadar
        say: {person} has settled in {value} and says the light there is wonderful.
        say: {person} moved to {value} in spring and is already speaking like a local.
        ask: Which city does {person} live in?
        other: {who} lives in {value} and loves the city.
        other: {who} spent a month in the city of {value} and came back changed.
        aside: {person} called me yesterday and we talked for an hour.
        aside: I owe {person} a long letter.
        """,
    ),
    Kind.parse(
        "brand",
        "gear",
        """
        things: tent; sewing machine; touring bike=travel bike; binoculars; rucksack
        values: Corvano; Trellick; Ostrava; Fennimore; Haldane; Wexley; Brantome; Lindqvist; Aldous
        say: I bought a used {value}, and this {thing} has never let me down.
        say: My {thing} is an old {value}, still in good shape.
        ask: What brand is my {thing}?
        other: {who} swears by a {value} as the best brand of {thing}.
        aside: I never cared about the brand of my {thing}, only about the weight.
        """,
    ),
    Kind.parse(
        "place",
        "travel",
        """
        things: bakery; bookshop; tea house; jazz bar; noodle place; cheese shop
        values: Petrel and Rye; the Blue Turnstile; Casa Mirella; the Crooked Spoon; Lantern and Loom; Old Ferry Steps; Magpie Corner; the Velvet Anchor; Pomona; the Seventh Bench
        say: In {person}, the {thing} I would send you to is {value}, a short walk from the river.
        say: For {a} in {person}, try {value}; it is small and rarely full.
        ask: Which {thing} did you recommend in {person}?
        ask: What was the name of the {thing} in {person} that you recommended?
        other: {who} recommended {a} called {value} on a trip, but that was somewhere else.
        other: {who} told me about {value}, {a} near their home.
        aside: I have not been to {a} in {person} yet.
        aside: What would you recommend in {person} on a Sunday?
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "minutes",
        "cooking",
        """
        things: stuffed peppers; walnut bread; apple strudel=apple pastry; fish pie; baked ricotta; root vegetables
        values: 38 minutes; 52 minutes; 44 minutes; 28 minutes; 33 minutes; 57 minutes; 47 minutes; 23 minutes; 63 minutes
        say: Give the {thing} {value} on the middle shelf and no more.
        say: For the {thing}, {value} in a hot oven is the sweet spot.
        ask: How long did you tell me to bake the {thing}?
        ask: How long did you say the {thing} should bake?
        other: {who} always bakes {thing} for {value}, which seems long to me.
        other: {who} told me to bake {thing} for {value}.
        aside: I want to bake {thing} again, they told me it was the best part of the evening.
        aside: Do you think I can bake {thing} and a cake together?
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "method",
        "study",
        """
        things: learning vocabulary; planning my week; remembering faces=remembering people; note taking; piano scales; public talks
        values: Two Shelf; Lighthouse; Paper Boat; Slow Clock; Seven Doors; Mirror Page; Cold Start; Back Row; Open Drawer
        say: There is a simple approach to {thing} known as the {value} method.
        say: For {thing}, the {value} method would suit you well.
        ask: Which method did you suggest for {thing}?
        ask: What was the name of the method you suggested for {thing}?
        other: {who} uses the {value} method for {thing} and finds it tiring.
        other: {who} suggested something called the {value} method for {thing}.
        aside: I do not really have a method for {thing}.
        aside: A friend thinks that any method for {thing} works if you stick to it.
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "weekday",
        "classes",
        """
        things: pottery workshop; badminton game; book club=book circle; Italian course; band practice
        values: Tuesday; Wednesday; Friday; Thursday; Saturday; Sunday; Monday
        say: My {thing} is on {value} evenings this season.
        new: They moved my {thing} to {value} evenings.
        ask: Which day of the week is my {thing}?
        ask: On which day is my {thing} now?
        other: {who} has {a} on a different day of the week, {value}.
        other: {who} goes to {a} every {value}, the best day of the week by their account.
        aside: The day after my {thing} I am always tired.
        aside: I need the whole day to look forward to my {thing}.
        """,
    ),
    Kind.parse(
        "best",
        "running",
        """
        things: harbor loop; 10K; hill mile=uphill mile; relay leg
        values: 27:12; 25:48; 48:31; 46:05; 7:42; 7:19; 31:26; 29:57; 52:10; 49:33; 8:04; 33:40
        say: I finished the {thing} in {value}, my fastest so far.
        new: New personal record today, {value} for the {thing}!
        ask: What is my best time for the {thing}?
        ask: What is my current best time in the {thing}?
        other: {who} had a time of {value} in the {thing}, the best in the family.
        other: {who} wants to beat a time of {value} in the {thing}.
        aside: What is the best time of day for the {thing}?
        aside: I had the best time at the {thing}, even though it rained.
        """,
        trend="falls",
    ),
    Kind.parse(
        "progress",
        "",
        """
        things: Middle Kingdoms; The Long Atlas; Gardens of Brass; Harbor Songs
        values: 4; 9; 13; 17; 6; 11; 21; 15; 19; 8; 26
        say: I have got through {value} chapters of {thing} so far.
        new: I am up to {value} chapters of {thing} now.
        ask: How many chapters of {thing} have I finished?
        ask: How many chapters of {thing} have I read so far?
        other: {who} has finished {value} chapters of {thing} and finds it slow.
        aside: How many pages a day would you read of {thing}?
        aside: I read {thing} mostly on the train.
        """,
        trend="rises",
    ),
    Kind.parse(
        "keep",
        "home",
        """
        things: spare key; sewing kit; travel documents=travel papers; bike pump; toolbox
        values: the hall cupboard; the blue biscuit tin; the bottom desk drawer; the coat closet; the green chest; the attic trunk; the umbrella stand; the bread bin; the piano bench; the glove box
        say: I keep my {thing} in {value}, where nobody would look.
        new: My {thing} has moved to {value}, out of the way.
        ask: Where do I keep my {thing}?
        ask: Where is my {thing} now?
        other: {who} keeps the {thing} in {value}, of all places.
        aside: Where do other people keep their {thing}?
        aside: I should really keep my {thing} cleaner.
        """,
    ),
    Kind.parse(
        "fee",
        "bills",
        """
        things: storage unit; gym pass; parking space=parking spot; studio share
        values: $64; $71; $115; $132; $45; $58; $88; $93; $104; $27; $79; $56
        say: I pay {value} a month for my {thing}.
        new: From now on it is {value} a month for my {thing}.
        ask: How much is the monthly fee for my {thing}?
        ask: How much do I pay per month for my {thing}?
        other: {who} pays a monthly fee of {value} for {a}.
        other: {who} thinks {value} per month is too much to pay for {a}.
        aside: I read that the monthly fee for {a} often rises without notice.
        aside: How much use do I get from my {thing} in a month?
        """,
    ),
    Kind.parse(
        "event",
        "outings",
        """
        things: glass museum; aquarium=sea life center; hill fort; botanical garden; maritime hall; limestone cave; open-air cinema; tidal island=causeway island; owl sanctuary; cathedral tower; toy museum; paper mill; moon festival; rope bridge; wolf park; silk exhibition
        values: yesterday; two days ago; three days ago; last Saturday; last Sunday; last Monday
        say: I visited the {thing} {value}, and it was worth the trip.
        say: We made it to the {thing} {value}, after planning it for ages.
        ask: When did I visit the {thing}?
        ask: On what date did I visit the {thing}?
        other: {who} visited the {thing} {value} and brought me a postcard.
        other: {who} was at the {thing} {value}.
        aside: When would be a good time to visit the {thing} with my parents?
        aside: On what day is it quiet enough to visit the {thing}?
        """,
    ),
)

TEST = Wording(
    kinds={kind.name: kind for kind in _KINDS},
    joint=Joint(
        bridge=(
            "Which city does the person who gave me the {thing} live in?",
            "In which city does the friend who gave me the {thing} live?",
        ),
        total=(
            "How much did I pay in total for my {thing} and my {second}?",
            "What did my {thing} and my {second} cost together?",
        ),
        names=("What are the names of my two {thing}?",),
        order=(
            "Which did I visit first, the {thing} or the {second}?",
            "Did I visit the {thing} or the {second} first?",
        ),
        between=(
            "How many days passed between my visit to the {thing} and my visit to the {second}?",
        ),
        pairs=(("goat", "goats"), ("lovebird", "lovebirds")),
        pair_say=(
            "One of my {thing} answers to {value}, at least when there is food.",
            "The other of my {thing} is called {value} and is the shy one.",
        ),
    ),
    wishes=(
        Wish(
            "cooking",
            "I stopped eating meat in autumn and I love anything with smoke and chili in it.",
            "Can you suggest what I should cook this weekend?",
            "The user would prefer vegetarian dishes with smoky or spicy flavors and may not prefer suggestions built around meat.",
        ),
        Wish(
            "travel",
            "I get seasick easily, so I only travel by train, and I like small towns more than capitals.",
            "Where could I go for my next short break?",
            "The user would prefer small towns that can be reached by train and may not prefer boat trips, flights or big capitals.",
        ),
        Wish(
            "running",
            "My doctor wants me to spare my knees, and I enjoy moving most when there is water nearby.",
            "What kind of exercise would you recommend to me for this spring?",
            "The user would prefer exercise that is gentle on the knees and close to or in water, and may not prefer hard downhill running.",
        ),
    ),
    kin=(
        "My sister",
        "My cousin",
        "My aunt",
        "My neighbor",
        "My flatmate",
        "My colleague {person}",
        "My friend {person}",
        "{person} from work",
        "{person} next door",
    ),
    people=names(
        "Marta Omar Ingrid Tobias Leila Hugo Nadia Felix Yusuf Helena Priya Gareth Amara Ravi "
        "Sunniva Joaquin Beatrix Emeka Tamsin Viggo"
    ),
)
