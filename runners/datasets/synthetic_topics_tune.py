"""What the tune split talks about: other subjects and other wording than the test split throughout."""

from __future__ import annotations

from runners.datasets.synthetic_dialogue import Glue, Topic

BENCH = Topic.parse(
    "bench",
    "belt sander; hand plane; glue gun; bench vise; chisel set; extension cord; tool belt; sawhorse",
    """
! Would you give me some guidance on maintaining a {thing}?
! Something is off with my {thing}, it used to run better.
! I'm setting up a small workshop; how important is the {thing} really?
? Can I sharpen or service the {thing} on my own?
? What safety gear do you recommend?
? Where does one keep a {thing} in a small garage?
? Any risk of overheating?
? Do cheap blades make sense?
- Unplug or clamp the {thing} before your fingers go anywhere near the sharp side.
- Sawdust holds humidity, so blow out the {thing} when the job is over.
- Mark the wear on tape and compare again in a month.
- Practice on scrap wood until the cut with the {thing} is boring.
- Blades are consumables; the body of the {thing} is the investment.
- Hang tools on outlines, then an empty outline tells you what is gone.
- Goggles first, gloves only where nothing rotates.
- If the {thing} smells hot, let it cool and clean the vents.
- Use both hands and stand to the side of the line.
- A drop of machine oil on moving steel keeps rust away.
~ The garage is freezing right now.
~ I inherited half of these tools.
""",
)

BARN = Topic.parse(
    "barn",
    "donkey; goose; alpaca; sheepdog; duckling; mule; turkey; piglet",
    """
! Our {thing} has become shy lately; how would you win back its trust?
! What does a {thing} need over the winter months?
! I'm new to the countryside and just took in a {thing}. Tips?
? How big should the shelter for a {thing} be?
? Which plants are dangerous for a {thing}?
? Who looks after hooves or claws out here?
? Can it stay outdoors in snow?
? Does it need company of its own kind?
- Stand sideways near the {thing} and look elsewhere; curiosity does the rest.
- Straw insulates, hay feeds, and a {thing} can tell the difference.
- Walk the fence line weekly and pull out anything yellow-flowered you cannot name.
- Drafts are worse than frost for a {thing}.
- Feed small portions by hand and leave while it still wants more.
- A salt lick lasts for months and prevents a lot of chewing.
- Country vets travel, so share the visit with the farm next door.
- Two of a kind settle faster than one {thing} alone.
- Check feet in dry weather; mud hides the trouble.
- Speak before you enter so that nobody is startled.
~ Mornings in the barn are my favorite.
~ The farm next door has given us old hay.
""",
)

SURFACES = Topic.parse(
    "surfaces",
    "mailbox; flower box; rowboat; swing set; picnic table; weather vane; dog house; trellis",
    """
! The {thing} has lost its shine; can I paint over the old layer?
! Which paint lasts outdoors on a {thing}?
! I'm hoping to make the {thing} look new before the party.
? Does the {thing} need a primer at all?
? Spray or brush, which do you prefer?
? What temperature is too low?
? How do I deal with rust underneath?
? Will it need varnish on top?
- Scrape whatever is loose off the {thing}; paint is only as strong as what lies below.
- A rust converter saves hours with a wire brush.
- Outdoor enamel forgives bad weather, and a {thing} sees plenty of it.
- Start underneath, finish on top, and nobody sees the mistakes.
- Overlap each spray pass by half.
- Primer is for bare spots, not a ritual.
- Below ten degrees the coat on a {thing} stays soft.
- Varnish yellows over the years, so skip it on pale shades.
- Hang the {thing} or prop it up so that the edges dry free.
- Clean the nozzle by spraying upside down.
~ It has stood in the rain for ages.
~ My last attempt ended in blisters.
""",
)

CLUBS = Topic.parse(
    "clubs",
    "birding walk; trivia league; bell ringing; rowing crew; juggling jam; poetry slam; robotics lab; curling rink",
    """
! My first {thing} is coming up; what shall I expect?
! I'd like to organize our {thing} better, members arrive whenever they please.
! Does a {thing} suit introverts?
? How many people does a {thing} need to be lively?
? What do you do about latecomers to the {thing}?
? Do beginners slow everybody down?
? Who should bring the equipment?
? Are fees a good idea?
- Arrive early to the {thing} and help carry; that is introduction enough.
- Pair newcomers with regulars for the opening round.
- Start the {thing} on schedule, even with three people, and lateness fades.
- Rotate the chores, otherwise one person does them forever.
- Introverts do fine in a {thing}, since the activity fills the silences.
- A modest fee makes people show up.
- End each {thing} with the plan for the next one.
- Keep spare equipment in a crate by the entrance.
- Talk to absent members; they seldom leave without a reason.
- Photos on a wall tell visitors who belongs together.
~ The hall echoes terribly.
~ I know two of the members from school.
""",
)

PLOT = Topic.parse(
    "plot",
    "pumpkins; parsnips; sweet peas; gooseberries; asparagus crowns; leeks; poppies; kohlrabi",
    """
! What spacing do {thing} want in heavy clay?
! I'm late this year; can {thing} still catch up?
! Birds keep eating my {thing}. What now?
? Would netting harm the {thing}?
? Do {thing} like ash from the stove?
? When do I thin them out?
? Is rainwater really superior?
? Can I save seed from these?
- Clay warms late, so start {thing} under cover and plant out when it crumbles.
- Netting on hoops keeps birds away from {thing} without trapping them.
- Thin with scissors; pulling disturbs the neighbors.
- A little wood ash sweetens the soil, a lot burns it.
- Soak seed of {thing} overnight when the weather is dry.
- Rainwater is softer and has the temperature of the air.
- Hoe on sunny mornings and let the weeds wither.
- Save seed only from the best plants, never from the last.
- Catch crops fill the gaps between {thing} until they close up.
- Earth up twice and stop when they flower.
~ Half of the allotment is under water.
~ The pigeons sit there waiting for me.
""",
)

BAKING = Topic.parse(
    "baking",
    "cinnamon rolls; seed crackers; plum crumble; brown bread; shortbread; custard slices; cheese scones; brioche",
    """
! I'd love to bring {thing} to the office. Is that practical?
! Why do {thing} spread so much in my oven?
! Any way to make {thing} with less sugar?
? Can the dough for {thing} wait in the fridge?
? Fan or no fan?
? Which shelf do you use?
? Do {thing} freeze well?
? Is fresh yeast worth the hunt?
- Chill the dough for {thing} thoroughly; cold fat is what keeps the shape.
- Turn the tray once, ovens are never even.
- Less sugar means less browning, so brush {thing} with milk.
- Freeze {thing} unbaked and add nothing but patience.
- Use the middle shelf unless the base stays pale.
- Dried yeast is reliable, and fresh yeast is romantic.
- Parchment beats grease for anything sticky.
- Cool {thing} on a rack, since steam softens from below.
- Scrape the bowl twice; streaks turn into holes.
- Tap the base, and a hollow sound means done.
~ My colleagues eat anything.
~ The scale broke, so I guess a lot.
""",
)

EXCURSIONS = Topic.parse(
    "excursions",
    "cable car; peat bog; fish ladder; ghost village; butterfly house; clock museum; chalk cliffs; tram depot",
    """
! Has the {thing} got anything for teenagers?
! I'm looking at an excursion to the {thing}; what season is loveliest?
! We have one free day, would the {thing} fill it?
? Are dogs welcome at the {thing}?
? Can one reach the {thing} by train?
? What shoes are sensible?
? Where would you stop for cake?
? Does the light matter for photos?
- Autumn suits the {thing}, with low sun and few coaches.
- Teenagers like the {thing} more when they may choose the route.
- Sturdy shoes, always; gravel is everywhere.
- Trains stop nearby, and the rest is a pleasant stroll to the {thing}.
- Ask for the family ticket even if you are only three.
- Dogs on a short lead are mostly fine.
- Photos turn out best in the hour after rain.
- Buy cake before the coaches arrive.
- Half a day is enough for the {thing}; leave the other half open.
- Wardens know which path is closed.
~ Grandpa talks about it constantly.
~ We always leave later than planned.
""",
)

CITIES = Topic.parse(
    "cities",
    "Norrvik; Belcastel; Portomare; Kaltenbach; Vallodena; Eastmere; Ranqvist; Solanta",
    """
! Friends invited me to {thing}; anything I must not miss?
! How expensive is {thing} compared with the capital?
! I'm changing trains in {thing} and have an afternoon.
? Does {thing} shut down on Sundays?
? Are bicycles for rent in {thing}?
? What souvenir isn't silly?
? Do locals speak English?
? Which bank of the river is nicer?
- Follow the river through {thing} until the shops end, then turn back on the other bank.
- {thing} closes early on Sundays, so have lunch late.
- Rent a bicycle at the station and return it empty-handed and happy.
- Spices or stationery make light souvenirs.
- Prices in {thing} drop two streets behind the cathedral.
- Locals switch to English kindly if you try first.
- Luggage lockers fill up by noon.
- An afternoon in {thing} is one church, one bridge and one long coffee.
- Carry coins for the toilets.
- Look up; the gables of {thing} are its real museum.
~ I only know the airport.
~ My suitcase is far too big.
""",
)

SERVICES = Topic.parse(
    "services",
    "laundry service; piano rental; music streaming; veg delivery; window cleaner; bike insurance; newspaper app; fax line",
    """
! I signed up for a {thing} and wonder whether it pays off.
! How does one compare offers for a {thing}?
! My {thing} keeps raising its fees; any leverage?
? Can a {thing} be paused for the summer?
? Is there a catch with trial months?
? Do reviews mean anything?
? Should I share it with the neighbors?
? What do I do if they ignore me?
- Divide what the {thing} costs by the number of uses, and let that figure decide.
- Trial months end silently, so diarize the last day.
- Pausing is often possible though nobody advertises it.
- Sharing a {thing} halves the bill and doubles the fun.
- Middle-of-the-road reviews are the honest ones.
- Write once, call once, then go to the ombudsman.
- Threatening to leave works only when you mean it.
- Long contracts for a {thing} reward them, not you.
- Screenshots of the offer are worth gold later.
- Check whether a {thing} is included in something you already have.
~ Their hotline plays the same song forever.
~ I keep forgetting the password.
""",
)

SKILLS = Topic.parse(
    "skills",
    "sign language; origami; whistling; watch repair; bread scoring; speed reading; bird calls; fly casting",
    """
! I've decided to learn {thing}; how would you structure it?
! Progress in {thing} has stalled. Suggestions?
! Is a teacher necessary for {thing}?
? How many repetitions does {thing} take?
? Are there exercises for the train?
? What mistakes do self-taught people make?
? Is talent overrated?
? Shall I enter a contest?
- Record a baseline in {thing} now, or you will not believe your progress later.
- Vary speed: slow for accuracy, fast for flow.
- Teachers shorten {thing} by showing you what not to do.
- Repetition without attention is just movement.
- Change the setting; the skill should survive a noisy room.
- Set a silly public goal, such as {thing} at a birthday.
- Plateaus are where the hands catch up with the head.
- Contests reveal which part of {thing} you avoid.
- Pick one model, imitate it, then pick another.
- Ten good tries and then stop.
~ I gave up on it as a teenager.
~ My cat is my only audience.
""",
)

GLUE = Glue.parse(
    """
! Hey, got a minute?
! I'd appreciate your view on something.
! Morning!
? Understood.
? Okay, noted.
? Interesting, go on.
? Fair enough.
? Lovely, I'll do that.
> Unrelated news.
> While we are talking.
> Funny story, actually.
> A quick update from home.
+ Certainly.
+ Sure thing.
+ It varies, but usually so.
+ Probably, yes.
+ Several options come to mind.
+ My advice would be this.
- Consider how much effort the {thing} deserves in the first place.
- Prepare a second option in case this falls through.
- Compare notes with a person whose judgment you value.
- Keep expectations low at the outset and raise them slowly.
- Whatever you choose about the {thing}, decide today and revisit it in a month.
- Minor setbacks say little about the {thing}.
- Budget twice the effort and be pleasantly surprised.
- Look for the bottleneck, because everything else can wait.
- A checklist keeps your head free.
- Reward yourself for finishing, not for starting.
- Leave some slack, life tends to fill it.
- Trends matter more than single results with a {thing}.
- Simple routines survive bad weeks.
- Stay curious about what the {thing} shows you.
= Cheers, talk soon.
= Perfect, bye for now.
. Take care!
. Best of luck, and keep me posted.
""",
)
