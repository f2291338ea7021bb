"""What the synthetic test split talks about: out and about, work and money. Wording only, no facts."""

from __future__ import annotations

from runners.datasets.synthetic_dialogue import Topic

CLASSES = Topic.parse(
    "classes",
    "drawing circle; chess evening; sewing group; yoga hour; improv night; debate club; calligraphy table; folk dance",
    """
! I would like to get more out of my {thing}. How do I prepare?
! I am the newest in my {thing} and feel a bit lost. Any advice?
! How do I stay motivated for the {thing} when the week is full?
? Should I practice at home between sessions of the {thing}?
? Is it rude to leave the {thing} early now and then?
? What do I say when I do not understand the exercise?
? How do I get to know people there?
? Would notes help, or distract me?
? What should I bring to the {thing}?
? How long until I notice progress?
- Pack everything for the {thing} the night before, and the hardest part is done.
- Ten quiet minutes of practice on most days beat one long evening a week.
- Tell whoever leads the {thing} what you want to learn; they can adapt more than you think.
- Sit beside someone patient, and ask them after the {thing} rather than during it.
- Write down one thing that went well each time.
- Leave a gap in the calendar before the {thing}, so that you do not arrive breathless.
- Skipping once is fine; skipping twice in a row is how people drop out of a {thing}.
- Repeat the first exercise of the {thing} at home, slowly, until it feels dull.
- Offer to help tidy up; that is when people talk.
- Film yourself once a month, because progress is hard to feel and easy to see.
- Choose one small goal for each month and let the rest go.
- A shared snack in the break does more than any introduction.
~ I was the only beginner there for a while.
~ The room is cold, so I always bring a sweater.
~ We laughed a lot last time, which helped.
""",
)

OUTINGS = Topic.parse(
    "outings",
    "water tower; puppet theater; railway yard; rose garden; planetarium; old mill; salt mine; sculpture park",
    """
! We are thinking of a trip to the {thing}. Is it a good idea with small children?
! What should I know before an afternoon at the {thing}?
! I would like to draw at the {thing}. Do you think that is allowed?
? Is the {thing} fun when it rains?
? Should we book ahead or just turn up?
? How much walking is it?
? Is there usually a quiet hour at the {thing}?
? What would you combine with the {thing} on one day?
? Can we bring our own food?
? Is it worth having a guide?
- Go to the {thing} early; groups arrive toward noon and leave by three.
- Read one page about the {thing} beforehand, and you will notice twice as much.
- Bring layers, because places like the {thing} are colder than they look.
- Pick three things to see and ignore the rest; tired eyes see nothing.
- Children enjoy a task, so give them something to count or to find.
- A small sketchbook is welcome nearly everywhere if you stay out of the way.
- Most places let you eat outside, so a picnic near the {thing} is the simplest lunch.
- Guides know the stories that no sign mentions.
- Check the closing day of the {thing}; it differs from place to place.
- Combine the {thing} with a slow walk instead of a second visit.
- Take the bus if you can, since parking is the worst part.
- Leave before everybody is tired, and they will want to come back.
~ The children talk about nothing else.
~ I like places where it is quiet.
~ We had a plan, but the weather decided otherwise.
""",
)

TRAVEL = Topic.parse(
    "travel",
    "Arvenholm; Castelrosso; Brindport; Tillersund; Monteverra; Quillhaven; Ostermoor; Salvana",
    """
! I am going to {thing} for a long weekend. How would you plan it?
! Is {thing} a good place to travel alone?
! What should I pack for a few days in {thing}?
? Is {thing} walkable, or do I need the tram?
? What do people usually eat for breakfast there?
? Would three days be enough for {thing}?
? How do I avoid the crowds?
? Is the old town of {thing} worth it in the evening?
? Do I need cash?
? What is a good day trip from {thing}?
- Stay near the center of {thing} but one street off the main square; it is quieter.
- Walk on the first day without a plan, and choose what to revisit.
- Pack for two kinds of weather, because {thing} is windy near the water.
- Markets open early in {thing}, and breakfast there is half the fun.
- A tram ticket for several days saves the small change.
- Museums are emptiest in the last hour before they close.
- Learn to say thank you in the local language; it opens doors.
- Keep one evening in {thing} free for whatever you discover.
- Put a copy of your papers in a second bag.
- Sit where the menu is short and the chairs do not match.
- A hill above the town gives you the map in one look.
- Travel with one bag that you can carry up four flights of stairs.
~ I have wanted to go for years.
~ My knees do not like hills any more.
~ The train is half the pleasure for me.
""",
)

RUNNING = Topic.parse(
    "running",
    "hill circuit; canal route; forest trail; track session; reservoir run; stair workout; park lap; coast path",
    """
! I want to get faster on the {thing} without hurting myself. How?
! My legs feel heavy after the {thing}. Is that normal?
! Could you sketch a gentle plan that includes the {thing}?
? How often should I do the {thing} in a week?
? Is it better to run before breakfast?
? What do I do about my ankles?
? Should I slow down when my breath gets short?
? Do I need other shoes for the {thing}?
? Would cycling help as well?
? How do I pace myself on the {thing}?
- Start the {thing} slower than feels right; the second half decides.
- One hard day, then an easy one; heavy legs are a request for rest.
- Warm up by walking briskly and swinging your legs before the {thing}.
- Breathe out on the same foot for a while, then switch.
- Strengthen your calves on a step; ankles will thank you.
- Keep the {thing} to twice a week and fill the rest with easy running.
- Shoes are done when the sole is smooth where you push off.
- Drink before you are thirsty, in small sips.
- Write down how the {thing} felt, not only how fast it was.
- Cycling adds endurance and spares the joints.
- Downhill is where people get hurt, so shorten your steps.
- Sleep is the best training you are not doing yet.
~ I slept badly, so I blame that.
~ There was a headwind all the way.
~ I am not competitive, I just like the feeling afterwards.
""",
)

READING = Topic.parse(
    "reading",
    "radio play; essay collection; ghost story; nature diary; travel memoir; verse novel; history series; film club",
    """
! I am looking for something to follow the {thing} I just finished. Ideas?
! How do I get back into the habit of reading? A {thing} seems right.
! Our group will discuss a {thing} next month. How do I prepare?
? Is a {thing} easier to follow when you listen to it?
? Should I take notes while I read?
? How do you decide when to give up on a {thing}?
? What makes a good question for a discussion?
? Would a shorter one be better to begin with?
? Do you think the ending matters that much?
? How do I remember who is who?
- Read the first chapter of a {thing} twice; the second time is faster and clearer.
- Keep the {thing} by the kettle rather than by the bed.
- Give it fifty pages; if you do not care by then, let it go.
- Good questions start with how, and nobody can answer them with yes.
- Listening to a {thing} works well with dishes, and badly with traffic.
- Draw a small map of the people on a slip of paper.
- Mark passages with a pencil dot and look at the dots afterwards.
- Follow a heavy {thing} with something that has pictures.
- Read aloud when a sentence will not open up.
- Choose a {thing} by its first paragraph and not by its cover.
- Agree in the group that nobody has to finish.
- Ten pages a day make a shelf in a year.
~ I read mostly on trains these days.
~ The print was so small that I gave up once.
~ I liked it more than I expected.
""",
)

GEAR = Topic.parse(
    "gear",
    "saddle bag; bicycle bell; rain jacket; folding chair; tripod; sleeping mat; headlamp; pannier rack",
    """
! I depend on my {thing} a lot. How do I make it last?
! Something rattles on my {thing}. Can I fix that myself?
! I am packing for a long weekend outdoors. Is my {thing} overkill?
? Is it safe to use the {thing} in heavy rain?
? What kind of oil or wax does it need?
? How do I clean mud off the {thing}?
? Would a cover be useful?
? Should I carry spare parts?
? Is it normal that the strap gets loose?
? How do I test the {thing} before I leave?
- Brush dry mud off the {thing} first; water only moves it around.
- Check every strap and screw of the {thing} after the first hour on the road.
- A thin layer of wax keeps water out of zips and seams.
- Rattles come from two parts that almost touch, so put tape between them.
- Dry the {thing} in the shade, never on a heater.
- Carry two cable ties and a scrap of cloth tape; they mend nearly anything.
- Use the {thing} once around the block with full weight before you trust it.
- Store it loosely, since tight folds turn into cracks.
- Salt water is the enemy, so rinse the {thing} after a day at the coast.
- Spare parts are worth it for what would end the trip.
- A cover helps when it stands outside all year.
- Write your phone number inside the {thing}.
~ It has been with me on every trip.
~ I got caught in hail once and learned my lesson.
~ Nobody else in my group carries that much.
""",
)

BILLS = Topic.parse(
    "bills",
    "phone contract; water bill; travel card; magazine subscription; heating bill; dental plan; parking permit; cloud backup",
    """
! I am going through my monthly costs and got stuck at the {thing}. What should I look at?
! Is it rude to ask for a better deal on a {thing}?
! How do I keep track of small payments such as the {thing}?
? Should I cancel the {thing} before I look for another?
? What would you ask them on the phone?
? Is paying yearly really cheaper?
? How do I read the small print of a {thing}?
? Would a separate account help?
? What happens if I miss a date?
? Is there a polite way to say no?
- Put the end date of the {thing} into your calendar, a month early.
- Ask what a new customer would get; that is your bargaining position.
- Sort your costs into must, nice and forgot, and begin with forgot.
- Yearly payment for a {thing} makes sense only if you are sure to stay.
- Keep letters about the {thing} in one folder, newest on top.
- A second account for fixed costs shows at a glance what is left.
- Read the part about notice periods first; everything else is advertising.
- Call in the middle of the week, when the lines are quiet.
- Be friendly and silent; silence makes people offer things.
- Cancel in writing and keep the answer.
- Look at a {thing} again whenever your life changes.
- Small regular sums hide best, so list them all once a year.
~ I never look at these things, I admit.
~ It is not much, but it adds up.
~ The last letter was three pages long.
""",
)

STUDY = Topic.parse(
    "study",
    "reading music; touch typing; mental arithmetic; public speaking; sight drawing; knot tying; juggling; map reading",
    """
! I want to get better at {thing}. How should I go about it?
! I keep forgetting what I learned about {thing}. What helps?
! Is it too late to begin with {thing} at my age?
? How much time a day should I give {thing}?
? Should I find a partner for {thing}?
? How do I deal with bad days?
? Is it better to practice in the morning?
? Do apps help, or are they a distraction?
? How do I measure progress in {thing}?
? When should I take a break?
- Split {thing} into pieces so small that one takes five minutes.
- Test yourself before you feel ready; recalling is what makes {thing} stick.
- Stop while it still goes well, and you will want to come back to {thing}.
- Mix old and new material instead of finishing one before the next.
- Explain {thing} to a patient friend; gaps show at once.
- A fixed chair and a fixed hour remove half of the effort.
- Bad days count double, because they keep the habit alive.
- Sleep between sessions does part of the work on {thing} for you.
- Measure minutes practiced, not results, for the first month.
- Apps are good for reminders and poor for depth.
- Copy someone who is good at {thing}, slowly and on purpose.
- Age matters less than patience, and patience grows with age.
~ I learned it at school and lost it again.
~ My evenings are short, so it must be simple.
~ I surprised myself last week, it went really well.
""",
)

COMMUTE = Topic.parse(
    "commute",
    "the east depot; the tax office; the night market; the print shop; the ice rink; the vineyard; the town archive; the ferry landing",
    """
! What is a sensible way to get to {thing} without a car?
! I have to be at {thing} more often now. How do I make the trip less dull?
! Would you cycle to {thing} if the weather is mixed?
? Is it safer to take the back streets to {thing}?
? What do I do when the bus is late again?
? Could I walk part of the way?
? Is traveling off-peak worth it?
? What would you listen to on the way?
? How do I carry a laptop without a sore back?
? Should I keep a spare umbrella at {thing}?
- Try the route to {thing} on a Sunday, when mistakes cost nothing.
- Leave a quarter of an hour early for a week, and see how different it feels.
- Back streets are slower on the map and calmer on the road to {thing}.
- Get off one stop early and walk; it is the easiest exercise there is.
- Keep a book only for the way to {thing}.
- A bag with two straps is kinder than one with wheels.
- Note the last connection from {thing} on a card in your wallet.
- Off-peak rides are quieter, and quiet is worth something.
- A spare umbrella at {thing} is the cheapest insurance.
- Ask colleagues who live nearby whether they would share a ride.
- Podcasts make traffic jams shorter, audio courses make them useful.
- Mud guards decide whether you arrive clean at {thing}.
~ The bus drivers know me by now.
~ I nearly fell asleep on the way back.
~ Roadworks everywhere, as usual.
""",
)
