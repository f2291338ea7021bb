"""What the synthetic test split talks about that no question is about, and what fits every topic."""

from __future__ import annotations

from runners.datasets.synthetic_dialogue import Glue, Topic

SLEEP = Topic.parse(
    "sleep",
    "bedtime; afternoon nap; evening routine; morning light; wind-down hour; weekend rhythm",
    """
! I keep waking up far too early. Should I change my {thing}?
! How do I build a {thing} that survives a busy week?
! Could my {thing} be the reason why I am tired all day?
? Does tea late in the day matter?
? Is reading on a screen really that bad?
? How long until a new {thing} feels natural?
? Should I get up if I cannot fall asleep?
? What about noise from the street?
? Is it fine to skip the {thing} now and then?
- Keep the time you get up fixed, and let the {thing} follow.
- Dim the lights for the {thing}; the body reads light before it reads clocks.
- Write tomorrow's worries on paper and close the notebook.
- If you lie awake, get up and do something dull until you are sleepy.
- A cool room helps more than a heavy blanket.
- Change the {thing} in small steps, a few days each.
- Coffee lasts longer than you feel it.
- Foam plugs or a steady hum cover what wakes you.
- Go outside soon after waking; daylight anchors the {thing}.
- Naps are good when they are short and early.
- Keep the {thing} boring, that is its whole point.
- Judge it by how you feel at noon and not on waking.
~ I am a light sleeper, always have been.
~ The street lamp shines right in.
~ Holidays are the only time it works.
""",
)

SHEETS = Topic.parse(
    "sheets",
    "budget sheet; guest list; packing list; reading log; meal planner; chore chart; inventory table",
    """
! I am making a {thing} in a spreadsheet and it is getting messy. How should I set it up?
! How do I share a {thing} without people breaking it?
! Can you explain how to sort my {thing} by two columns?
? Should every row of the {thing} have a number?
? What is the difference between a filter and a sort?
? How do I find duplicates in the {thing}?
? Can I color rows by a rule?
? Is it bad to merge cells?
? How do I protect the header?
- One row per thing and one column per fact; a {thing} stays healthy that way.
- Freeze the header, so that you can scroll through the {thing} without getting lost.
- Never merge cells in a {thing} that you want to sort later.
- Put raw entries on one sheet and totals on another.
- A filter hides rows, a sort moves them; try the filter first.
- Use a drop-down list where people type the same word in five ways.
- Give each row of the {thing} a short key that never changes.
- Conditional formatting finds duplicates in two clicks.
- Make a copy before you try something clever with the {thing}.
- Protect the formula cells and leave the rest open.
- Dates should be dates, not text that looks like dates.
- If a formula is longer than the line, split it over two columns.
~ I learned all this by breaking things.
~ My version on the phone looks different.
~ It has grown over the years.
""",
)

LETTERS = Topic.parse(
    "letters",
    "thank-you note; complaint letter; wedding toast; cover letter; farewell card; condolence letter; invitation",
    """
! Could you help me with a {thing}? I never know how to begin.
! My {thing} sounds stiff. How do I make it warmer?
! How long should a {thing} be?
? Is it all right to be funny in a {thing}?
? Should I write it by hand?
? How do I end it?
? What would you leave out?
? Is it too personal to mention a memory?
? Could you suggest a first sentence for the {thing}?
- Begin the {thing} with a detail that only the two of you know.
- Write as you speak, then cut a third.
- One clear request is enough for a {thing}; two compete.
- Say what happened, what it meant to you, and stop.
- Read the {thing} aloud; wherever you stumble, the sentence is too long.
- Humor is fine when the joke is on you.
- Leave out excuses, they are what makes a {thing} stiff.
- A handwritten line under a printed text warms the whole page.
- End the {thing} by looking forward rather than with a summary.
- Let it rest for a night before you send it.
- Use the name of the person once, near the end.
- Short words carry feeling better than long ones.
~ I have started four times already.
~ It should not sound like a form.
~ We have not spoken in a while.
""",
)

STARS = Topic.parse(
    "stars",
    "meteor shower; lunar eclipse; Milky Way; Orion nebula; summer triangle; rings of Saturn; winter hexagon",
    """
! I would like to see the {thing}. What do I need?
! Can you explain the {thing} to someone who knows nothing about astronomy?
! Is it possible to watch the {thing} from a city balcony?
? Do I need a telescope for the {thing}?
? How long do my eyes need to get used to the dark?
? Which direction should I look?
? Are phone photos of the {thing} hopeless?
? What does the moon have to do with it?
? How cold does it get when you sit still?
- Binoculars on a steady rail show more of the {thing} than a wobbly telescope.
- Give your eyes twenty minutes without a screen.
- Look slightly beside the {thing}; the edge of the eye is more sensitive.
- A reclining chair matters more than any lens.
- Full moon washes out faint things such as the {thing}, so check the calendar.
- A red light keeps your eyes adapted while you read the map.
- Even a balcony works if you hide the nearest lamp behind a board.
- Dress as if it were ten degrees colder.
- Phones manage the {thing} if you rest them on something and use a timer.
- Learn three bright stars first and hop from there.
- Distances on the sky are easy to measure with an outstretched fist.
- Write down the hour and what you saw, however little it was.
~ I saw it once as a child.
~ There are too many lamps around here.
~ My neck hurt for days last time.
""",
)

GLUE = Glue.parse(
    """
! Hello! I could use some advice.
! Good evening.
! Quick question.
! I hope you can help me think something through.
! Hi there.
? That makes sense.
? Good, I will try that.
? Thanks, that is useful.
? I had not thought of that.
? Sounds doable.
? I see what you mean.
? All right.
? That is reassuring.
> By the way.
> Off topic, but worth telling.
> Before I forget.
> One more thing about my week.
> Small digression.
> That reminds me.
+ Happy to help.
+ Good question.
+ That depends a little on your situation.
+ Yes, with one caution.
+ You are on the right track.
+ Not necessarily.
+ Here is what usually works.
+ It is a common worry.
+ Let me suggest a few things.
+ In short, yes.
+ I would keep it simple.
+ That is understandable.
- Start with the {thing} as it is, and change one thing at a time.
- Give it a fair try for a couple of weeks before you judge.
- If it stops being enjoyable, that is information too.
- Think about what you want from the {thing} in a year, then work backwards.
- It may help to write the steps on a card and cross them off.
- Do the unpleasant part first, while you are fresh.
- Ask someone who has done it recently; their mistakes are still warm.
- Most people overdo it in the beginning.
- When in doubt, choose what you can undo.
- A rough version this week is worth more than a perfect one next season.
- Tell a friend about the plan, since a promise to others is easier to keep.
- Set a reminder and forget about the {thing} until then.
- There is no single right way, so trust your own impression.
- Small repairs to the plan are normal.
- Keep a short log; patterns only show on paper.
- Notice what you already do well with the {thing} and do more of it.
- If it takes longer than an hour, split it over two days.
- Have a fallback ready, then you can relax about the {thing}.
- Take a break when you start to rush.
- The last tenth is where most people lose patience.
- Borrow before you spend money on anything.
- Weather, mood and time all play a role, so do not read too much into one day.
- Put everything you need for the {thing} in one place.
- You can always come back and tell me how it went.
= Thanks for your help today!
= I will let you know how it goes.
= Great, that is all I needed.
= You have been very helpful, good night.
. You are welcome, enjoy it.
. Good luck with the {thing}!
. My pleasure. Come back any time.
. Sleep well, and take it one step at a time.
""",
)
