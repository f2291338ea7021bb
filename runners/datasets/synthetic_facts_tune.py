"""The facts of the synthetic tune split: other things, values, people and sentences than the test's."""

from __future__ import annotations

from runners.datasets.synthetic_kinds import Joint, Kind, Wish, Wording, names

_KINDS = (
    Kind.parse(
        "shop",
        "bench",
        """
        things: workbench; step ladder=folding ladder; cordless drill; garden hose; shop vacuum=dust vacuum
        values: Ashdown Ironmongers; Kessel and Sons; Toolfield; Merriweather; Grange Hall Auctions; Birchwood Stores; Northgate Salvage; Hobbs; Calder Mill
        say: The {thing} I use was from {value}, a tip I am still grateful for.
        say: At {value} they sold me the {thing} I had been looking for.
        ask: From which shop is my {thing}?
        ask: Where did my {thing} come from?
        other: {who} ordered {a} from {value}, and it arrived broken.
        other: {who} sold the old {thing} to {value}.
        aside: Shopping for {a} was harder than I thought, but mine is fine.
        aside: Where on earth did I leave the manual of my {thing}?
        """,
    ),
    Kind.parse(
        "price",
        "bench",
        """
        things: generator; garden cart=hand cart; circular saw; pressure washer; air compressor; lathe; router table; band saw; log splitter
        values: $420; $83; $155; $99; $260; $375; $68; $134; $510; $77; $345; $61; $189; $91; $240; $112
        say: It took {value} to get my {thing}, more than I had planned.
        say: They wanted {value} for the {thing}, so that is what I handed over.
        ask: What was the price of my {thing}?
        ask: How much money did I spend on my {thing}?
        other: {who} got hold of {a} for {value} and brags about it.
        other: {who} sold a nearly new {thing} at a price of {value}.
        aside: The money I put into my {thing} was well spent.
        aside: Prices for {a} have gone mad.
        """,
    ),
    Kind.parse(
        "petname",
        "barn",
        """
        things: pony; brown calf=brown cow; piebald goose; barn cat; foal
        values: Bandit; Cocoa; Marble; Rusty; Hazel; Button; Figaro; Tinker; Maple; Comet; Daisy; Bruno
        say: The children call our {thing} {value}, and it stuck.
        say: Our {thing} goes by {value} these days.
        ask: How is my {thing} called?
        ask: What do we call our {thing}?
        other: {who} picked the name {value} for {a} born in May.
        other: {who} keeps {a} that only listens to {value}.
        aside: Calling the {thing} from across the field is useless.
        aside: Our {thing} comes when it wants and not when it is called.
        """,
    ),
    Kind.parse(
        "giver",
        "bench",
        """
        things: carving knife; leather apron; spirit level; brass lamp=brass lantern; drawing board; shaving brush; picnic basket
        values: Silvio; Greta; Malik; Ursula; Desmond; Aiko; Lorcan; Mireille; Anselm; Petra
        say: I have the {thing} thanks to {value}, a farewell gift.
        say: {value} left me the {thing} before moving abroad.
        ask: From whom do I have the {thing}?
        ask: Who was so kind to give me the {thing}?
        other: {who} borrowed {a} from {value} and never returned it.
        other: {who} made {a} as a gift for {value}.
        aside: The {thing} was a gift I did not expect.
        aside: I am not sure who could repair the {thing}.
        """,
    ),
    Kind.parse(
        "paint",
        "surfaces",
        """
        things: garden bench; chicken coop=hen coop; back fence; tree house
        values: signal yellow; mint green; royal purple; rust brown; coral pink; navy blue; ivory; slate gray
        say: My {thing} got a coat of {value} in the end.
        say: In the end the {thing} turned out {value}, and the neighbors approve.
        ask: In which color is my {thing} painted?
        ask: What shade did the {thing} get?
        other: {who} would rather have a {thing} in {value}.
        other: {who} ordered {value} paint for a {thing}.
        aside: The {thing} could take another color some day.
        aside: Paint on the {thing} never lasts long.
        """,
    ),
    Kind.parse(
        "start",
        "clubs",
        """
        things: swing dance; sailing briefing; brass band practice=horn practice; boxing session
        values: 7:05 pm; 6:35 pm; 9:15 am; 5:20 pm; 8:35 pm; 10:10 am; 4:50 pm; 7:40 pm
        say: The {thing} I joined kicks off at {value}.
        say: {value} is when my {thing} gets going.
        ask: When does my {thing} begin?
        ask: At which hour does my {thing} begin?
        other: {who} said the {thing} across the river begins at {value}.
        other: {who} leaves the {thing} there at {value}.
        aside: Before my {thing} begins I drink a lot of water.
        aside: The beginning of my {thing} is always chaotic.
        """,
    ),
    Kind.parse(
        "ride",
        "",
        """
        things: the boat house; the rehearsal barn=the practice barn; the dojo
        values: 20 minutes; 45 minutes; 70 minutes; 15 minutes; 85 minutes; 32 minutes
        say: The trip to {thing} costs me {value} each time.
        say: From my door to {thing} I count {value}.
        ask: How much time do I need to reach {thing}?
        other: {who} needs {value} to reach {thing} on foot.
        other: {who} drives {value} to {thing}.
        aside: I need a better lock for the days when I cycle to {thing}.
        aside: Time flies on the way to {thing}.
        """,
    ),
    Kind.parse(
        "title",
        "",
        """
        things: board game; musical; memoir; travel guide; opera
        values: Copper Meridian; The Quiet Apprentice; Nightferry; Hollow Crown Lane; Twelve Lanterns; The Orchard Thief; Velvet Engines; Snow on the Delta; Count of Sparrows; Little Republics
        say: {person} insists that I should look at the {thing} "{value}".
        say: "{value}" is the {thing} that {person} pressed into my hands.
        ask: What {thing} was suggested to me by {person}?
        ask: Which {thing} did {person} tell me about?
        other: {who} fell asleep over "{value}", {a} of four hours.
        other: {who} suggested "{value}" as {a} for a rainy day.
        aside: {person} says I spend too little time on {a}.
        aside: {person} told me off for being late again.
        """,
    ),
    Kind.parse(
        "count",
        "plot",
        """
        things: raspberry canes; onion sets=little onions; sunflowers
        values: 60; 35; 12; 48; 28; 75; 20
        say: There are {value} {thing} of mine out on the allotment since Friday.
        ask: What number of {thing} did I set?
        other: {who} has {value} {thing} and not enough water.
        aside: The number of {thing} that survive the frost is small.
        aside: My {thing} stand too close.
        """,
    ),
    Kind.parse(
        "city",
        "",
        """
        things: person
        values: Leipzig; Antwerp; Malmo; Turin; Cork; Nantes; Basel; Vilnius; Brno; Split
        say: {person} found a flat in {value} and is not coming back.
        say: These days {person} works and sleeps in {value}.
        ask: In what city is {person} at home?
        other: {who} has a home in {value} with a view of the harbor.
        other: {who} studied in {value}, a city of bridges.
        aside: {person} is at home with a cold.
        aside: I dreamed about {person} last night.
        """,
    ),
    Kind.parse(
        "brand",
        "bench",
        """
        things: chainsaw; wood stove=wood burner; lawn mower; sewing table
        values: Torvald; Hexham; Brunello; Kittredge; Norvik; Amsel; Dunlevy
        say: What I have is a {value}, and as {a} it does its job.
        say: A {value} is the {thing} I settled for.
        ask: Which make is my {thing}?
        other: {who} had a {value} once and calls it the worst make of {thing}.
        aside: Every make of {thing} has its fans, I just like mine.
        """,
    ),
    Kind.parse(
        "place",
        "cities",
        """
        things: pastry shop; record store; wine cellar; craft market; soup kitchen
        values: Three Herons; the Tin Umbrella; Bodega Lucero; Marzipan and Co; the Low Door; Fable Street; the Ninth Wave; Old Mint
        say: My tip for {person} is {value}, {a} that locals guard jealously.
        say: When you are in {person}, ask for {value}; no {thing} is friendlier.
        ask: What {thing} in {person} was your tip for me?
        ask: Which {thing} in {person} did you mention?
        other: {who} had a tip for {a}, {value}, but in another town.
        other: {who} mentioned {value}, {a} by the sea.
        aside: A tip for {a} in {person} is always welcome.
        aside: They say {person} is lovely in spring.
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "minutes",
        "baking",
        """
        things: rye loaf; pear clafoutis; onion focaccia=onion bread; almond biscuits
        values: 41 minutes; 26 minutes; 58 minutes; 17 minutes; 36 minutes; 49 minutes; 22 minutes
        say: I recommend {value} of baking for the {thing}.
        say: The {thing} should come out after {value}.
        ask: For how long should the {thing} stay in the oven, according to you?
        other: {who} leaves {thing} in the oven for {value} and likes it dark.
        other: {who} swears that {thing} need {value} in the oven.
        aside: How do I know the oven is ready for {thing}?
        aside: I put {thing} in the oven far too late.
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "method",
        "skills",
        """
        things: remembering names; sharpening knives; breathing exercises=breath training; memorizing poems
        values: Blue Ladder; Tall Candle; Fox Trail; Second Cup; Iron Rhythm; Half Moon; Quiet Bell
        say: Try what people call the {value} technique when it comes to {thing}.
        say: The {value} technique was made for {thing}.
        ask: What technique for {thing} did you bring up?
        ask: Which technique did you describe for {thing}?
        other: {who} read about a {value} technique for {thing} in a magazine.
        other: {who} teaches {thing} with the {value} technique.
        aside: My technique for {thing} is no technique at all.
        aside: Is technique important in {thing}?
        """,
        speaker="assistant",
    ),
    Kind.parse(
        "weekday",
        "clubs",
        """
        things: water polo; theater group; gospel choir=gospel singing; bridge round
        values: Tuesday; Thursday; Monday; Wednesday; Friday; Sunday; Saturday
        say: We meet for {thing} every {value} this term.
        new: Our {thing} was shifted to {value} for good.
        ask: On what weekday does my {thing} meet?
        ask: Which weekday is it now for my {thing}?
        other: {who} does {thing} on {value} and nearly every other weekday.
        other: {who} gave up {thing} because {value} was a bad weekday.
        aside: Any weekday is fine for {thing} as far as I am concerned.
        aside: A quiet weekday without {thing} feels odd.
        """,
    ),
    Kind.parse(
        "best",
        "",
        """
        things: pond swim; castle stairs=tower stairs; bike leg; rowing mile
        values: 14:22; 13:47; 9:58; 9:16; 38:40; 36:15; 41:09; 12:50; 10:33; 44:21
        say: My watch showed {value} after the {thing}, which I had never managed before.
        new: I beat myself and did the {thing} in {value} this time.
        ask: What is my record for the {thing}?
        ask: How fast am I on the {thing} at best?
        other: {who} holds a record of {value} on the {thing}.
        other: {who} stopped the {thing} after {value}.
        aside: A record on the {thing} is not what I am after.
        aside: How fast should one start the {thing}?
        """,
        trend="falls",
    ),
    Kind.parse(
        "progress",
        "",
        """
        things: Foundations of Joinery; Everyday Latin; The Patient Gardener; Signals and Noise
        values: 5; 12; 7; 25; 3; 10; 23; 29; 20; 30
        say: I have done {value} lessons of {thing}.
        new: That makes {value} lessons of {thing} done.
        ask: At how many lessons of {thing} have I arrived?
        ask: What number of lessons of {thing} have I done?
        other: {who} did {value} lessons of {thing} in a single week.
        aside: The lessons of {thing} are longer than they look.
        aside: Do people finish all lessons of {thing}?
        """,
        trend="rises",
    ),
    Kind.parse(
        "keep",
        "",
        """
        things: first aid kit; tape measure; fuse box key=fuse key; camping stove
        values: the cellar shelf; the red bucket; the wardrobe top; the boot room; the tin trunk; the window seat; the pantry crate; the hat box
        say: If you need my {thing}, it sits in {value}.
        new: Since the clear-out my {thing} is in {value}.
        ask: In what spot is my {thing} stored?
        ask: Where would I look for my {thing} today?
        other: {who} stored a {thing} in {value} and forgot about it.
        aside: A {thing} needs a dry spot for storage.
        aside: I look for my {thing} every single time.
        """,
    ),
    Kind.parse(
        "fee",
        "services",
        """
        things: language app; bike storage; coworking desk=shared desk; web hosting
        values: $13; $19; $145; $160; $36; $41; $24; $53; $33; $29; $48
        say: They charge {value} monthly for my {thing}.
        new: They now charge {value} monthly for my {thing}.
        ask: What am I charged every month for my {thing}?
        ask: What does my {thing} come to monthly?
        other: {who} is charged {value} every month for {a}.
        other: {who} negotiated {a} down to {value} monthly.
        aside: The monthly letter about my {thing} goes straight into the bin.
        aside: Is {a} charged by the month everywhere?
        """,
    ),
    Kind.parse(
        "event",
        "excursions",
        """
        things: lighthouse; bird reserve=bird sanctuary; copper mine; sea fort; dinosaur park; lace museum; falconry; water gardens=water park; hop farm; viaduct; tile works; stone circle; pearl market; roman baths; salt pans; kite beach
        values: yesterday; two days ago; four days ago; last Tuesday; last Friday
        say: I went to the {thing} {value} and took far too many pictures.
        say: The {thing} was on my list for years, and {value} I was finally there.
        ask: When was I at the {thing}?
        ask: What day did I go to the {thing}?
        other: {who} went to the {thing} {value} and got lost.
        other: {who} came back from the {thing} {value}.
        aside: When I go to the {thing}, I want good light.
        aside: What day of the month is the {thing} free?
        """,
    ),
)

TUNE = Wording(
    kinds={kind.name: kind for kind in _KINDS},
    joint=Joint(
        bridge=(
            "In what town does whoever gave me the {thing} live today?",
            "Where is the person at home from whom I have the {thing}?",
        ),
        total=(
            "What was the price of my {thing} and my {second} combined?",
            "Taken together, how much money went into my {thing} and my {second}?",
        ),
        names=("How are my two {thing} called?",),
        order=(
            "Was I at the {thing} or at the {second} first?",
            "Which one did I go to earlier, the {thing} or the {second}?",
        ),
        between=("How many days lay between my trip to the {thing} and my trip to the {second}?",),
        pairs=(("sheep", "sheep"), ("pigeon", "pigeons")),
        pair_say=(
            "One out of my two {thing} listens to {value}.",
            "We named the second of my {thing} {value}, after a cartoon.",
        ),
    ),
    wishes=(
        Wish(
            "baking",
            "Nuts are off the table since my allergy test, and I like my treats only slightly sweet.",
            "Which treat could I make for the holidays?",
            "The user would prefer treats without nuts and with little sugar and may not prefer very sweet or nutty suggestions.",
        ),
        Wish(
            "excursions",
            "I am happiest when it is quiet, and I cannot stand heights any more.",
            "Have you got an idea for a day out?",
            "The user would prefer quiet places on level ground and may not prefer towers, cable cars or crowds.",
        ),
        Wish(
            "skills",
            "I only have the train ride for practice, and I want something I can do with my hands.",
            "What new hobby would fit my life?",
            "The user would prefer a manual hobby that can be practiced quietly on a train and may not prefer anything loud or bulky.",
        ),
    ),
    kin=(
        "My brother",
        "My uncle",
        "My niece",
        "My landlord",
        "My nephew",
        "My classmate {person}",
        "My partner {person}",
        "{person} from the village",
        "Our trainer {person}",
    ),
    people=names(
        "Clara Jonas Fatima Edwin Noor Pavel Imogen Sven Lucia Theo Ewa Rashid Corinne Matthias "
        "Solveig Bertram"
    ),
)
