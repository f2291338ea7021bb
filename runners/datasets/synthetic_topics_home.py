"""What the synthetic test split talks about: around the house. Wording only, no facts.

Format of a topic: see `Topic.parse` in `synthetic_dialogue.py`. Nothing here states a price, a place, a
name, a color, a time or a number of the user's own: facts come from `synthetic_facts.py` alone.
"""

from __future__ import annotations

from runners.datasets.synthetic_dialogue import Topic

HOME = Topic.parse(
    "home",
    "table fan; door mat; curtain rail; coat rack; shoe bench; wall clock; ironing board; step stool",
    """
! My {thing} has been getting on my nerves lately. What would you check first?
! I want to get more use out of my {thing}. Any ideas where to begin?
! Can you help me decide whether my {thing} is worth repairing?
? Could the damp in the flat be part of the problem?
? Should I take the {thing} apart, or is that asking for trouble?
? How often do people usually look after a {thing} like mine?
? Is there a way to do this without special tools?
? Would it make sense to move the {thing} to another corner?
? And if the screws will not hold any more?
? Do I need to worry about scratches on the floor?
- Look at the {thing} in daylight first; most faults show as dust, rust or a loose joint.
- Tighten everything that can be tightened before you replace a single part of the {thing}.
- A strip of felt under each foot stops the {thing} from sliding and spares the floor.
- Wipe it with a damp cloth, then a dry one, and let it stand open for an hour.
- If a screw turns freely, a sliver of wood and a drop of glue in the hole give it grip again.
- Take a photo at each step, so that putting the {thing} back together is no puzzle.
- Keep it away from the radiator; dry heat warps more furniture than people do.
- Ask yourself whether you would miss the {thing} within a week; that usually settles it.
- Repair pays when the frame is sound and only a small part has given up.
- Squeaks are friction, so a little wax on the moving parts is the first thing to try.
- A neighborhood repair evening is a friendly place to have a {thing} looked at.
- Measure the corner twice; an object that blocks a door never gets used.
~ I tried that already and it helped for about a day.
~ The flat is old, so nothing stands quite level here.
~ To be honest I have been putting this off since winter.
""",
)

KITCHEN = Topic.parse(
    "kitchen",
    "rice cooker; salad spinner; pepper mill; toaster; mixing bowl; cake tin; colander; grater",
    """
! What is the best way to look after a {thing} that gets used every day?
! My {thing} is not working the way it used to. Where should I start?
! I am reorganizing the kitchen and wonder what to do with my {thing}.
? Is it all right to put the {thing} in the dishwasher?
? Would vinegar be too harsh for this?
? How do I get rid of the smell that stays behind?
? Should it dry upright or lying flat?
? Is there a trick to keep it from jamming?
? What about hard water, does that matter here?
? Can I store the {thing} inside something else to save room?
- Rinse the {thing} while it is still warm; dried starch is ten times the work.
- Hot water, a drop of soap and a soft brush do nearly everything for a {thing}.
- Let every part dry before you close it up, otherwise a stale smell comes back.
- A spoon of baking soda overnight takes away most odors without scratching.
- Hard water leaves a film that looks like wear; warm diluted vinegar dissolves it.
- Keep the {thing} where your hand goes first, and it will be used twice as often.
- Check the seal or the hinge, since that is the part of a {thing} that ages fastest.
- Dishwashers are fine for glass and steel and hard on everything that is glued.
- If it jams, turn it backwards once instead of forcing it forward.
- Stack by size with a paper towel in between, so that nothing sticks or chips.
- A dull or loose part is often sold as a spare, so look for the model number below.
- Empty one drawer completely before you sort; half-sorted drawers fill up again.
~ We cook nearly every evening, so it does get a lot of use.
~ I was about to throw it out, so this is good news.
~ The counter is tiny, which makes everything harder.
""",
)

PETS = Topic.parse(
    "pets",
    "guinea pig; budgie; ferret; chinchilla; gecko; dachshund; kitten; rooster",
    """
! I need some advice about my {thing}, who has been restless this week.
! How do I keep a {thing} busy while I am out at work?
! My {thing} is due for a check-up. What should I ask the vet?
? Is it normal that the {thing} hides when visitors come?
? How much should a {thing} sleep during the day?
? Do I need to change the food when the weather gets warmer?
? Would a second animal help, or make things worse?
? How can I tell boredom from illness?
? Should I let the {thing} roam in the evening?
? Is clicker training worth trying?
- Keep feeding times steady for a week, and you will see whether the restlessness has a rhythm.
- A {thing} that hides is choosing calm, so leave the hiding place alone.
- Write down eating, drinking and sleeping for a few days; a vet can do a lot with that.
- New toys lose their charm quickly, so rotate a few instead of adding more.
- Move the bed of the {thing} away from the door and out of the draft.
- Short sessions work best: a minute of attention, a treat, then a break.
- Fresh water in two places encourages a {thing} to drink more.
- If the appetite is gone for more than a day, do not wait for the appointment.
- Visitors should let the {thing} come to them and never reach over its head.
- A cardboard box with holes beats many toys from the shop.
- Groom gently after a nap, when the {thing} is relaxed.
- Another animal is company only if both can withdraw from each other.
~ The vet said the weight is fine, so at least that is not it.
~ We have had animals all my life, but this one is a puzzle.
~ It was so funny this morning that I was nearly late.
""",
)

ROOMS = Topic.parse(
    "rooms",
    "window frames; pantry door; stair railing; porch ceiling; radiator cover; attic wall; cupboard doors; gate",
    """
! I am planning to redo the {thing} and have never painted anything. Where do I begin?
! The {thing} looks tired. Is a fresh coat enough, or is there more to it?
! How do I prepare the {thing} so that the paint actually stays on?
? Do I really have to sand the {thing} first?
? Is a roller better than a brush here?
? How long should I wait between coats?
? What do I do about the old drips?
? Can I do this with the windows closed?
? Does the primer have to match?
? How do I keep a wet edge on a surface like that?
- Wash the {thing} with sugar soap and let it dry overnight before anything else.
- Light sanding gives the new coat something to hold; you only need to take off the shine.
- Fill the dents, sand them flat, and run your fingers over the {thing} with closed eyes.
- Use a good angled brush for edges and a small roller for everything flat.
- Paint in the direction of the grain and leave each stroke alone once it is down.
- Two thin coats look better on the {thing} than one heavy coat.
- Pull the tape off while the paint is still soft, slowly and at an angle.
- Stir the tin from the bottom, and strain it if it has been open before.
- Test a patch where nobody looks, because light changes every shade.
- Open a window a hand's width; moving air dries paint more evenly than heat.
- Old drips come off with a sharp scraper once the surface is warm.
- Wrap the brush in foil during a break, and you can go on without washing it.
~ I only have the weekends, so it will take a while.
~ The last people who painted here did not take off the handles.
~ I keep changing my mind about how it should look.
""",
)

KEEPSAKES = Topic.parse(
    "keepsakes",
    "photo album; tea set; pocket watch; snow globe; letter opener; silver spoon; brooch; postcard box",
    """
! How should I store a {thing} that means a lot to me?
! I would like to display my {thing} without letting it fade. What do you suggest?
! My {thing} needs a careful clean. What is safe?
? Is direct light really that bad for a {thing}?
? Should I keep the original box?
? Would wrapping it in newspaper do?
? Is it worth having the {thing} looked at by a specialist?
? How do I write down where it came from?
? What about moths and damp?
? Can I use polish from the supermarket?
- Keep the {thing} out of direct sun; fading happens slowly and never reverses.
- Acid-free tissue is cheap and protects a {thing} far better than newspaper.
- Dust it with a soft brush first; rubbing dust in is what scratches.
- Write its story on a card and store the card with the {thing}.
- A closed cabinet with a small dish of silica gel keeps moisture steady.
- Try any cleaner on the underside of the {thing} and wait a day.
- Polish removes a little of the surface each time, so less is more.
- A specialist is worth it when something is loose, cracked or flaking.
- Photograph the {thing} from all sides for your insurance.
- Handle metal with cotton gloves, since fingerprints turn into stains.
- Take things out to use them now and then; a keepsake wants to be seen.
- Keep the original box, even if it is ugly; it doubles as a record.
~ It has been in a drawer for far too long.
~ I would be heartbroken if anything happened to it.
~ My desk is the only place with room for it.
""",
)

GARDEN = Topic.parse(
    "garden",
    "rhubarb; climbing beans; rosemary; dahlias; blueberries; courgettes; foxgloves; chives",
    """
! My {thing} are not doing well this season. What could be wrong?
! When is a good moment to move {thing} to a sunnier bed?
! I want to give {thing} a better start next year. What should I prepare?
? Could it be the soil around the {thing}?
? How do I keep slugs away without poison?
? Should I water in the morning or in the evening?
? Is it too late to feed {thing} now?
? What would you grow next to {thing}?
? Do they mind wind?
? Should I cut them back or leave them alone?
- Push a finger into the soil beside the {thing}; water only when it is dry below the surface.
- Yellow lower leaves usually mean wet feet, so check that the bed drains.
- A mulch of straw around {thing} keeps moisture in and weeds out.
- Go out with a torch after dark; slugs on {thing} are easiest to collect then.
- Feed {thing} lightly and often rather than heavily and once.
- Move plants on a dull day and water them well the evening before.
- Wind dries leaves faster than sun, so a simple screen helps {thing} a lot.
- Cut just above a bud and step back after every cut.
- Compost that smells of forest is ready; if it smells sour it needs air.
- Leave some room between plants; crowded {thing} invite mildew.
- Note what grew where, so that you can rotate the beds.
- Marigolds nearby keep a few pests busy and look cheerful too.
~ It rained for a week, so I have not been outside much.
~ The plot faces north, which does not help.
~ I am still a beginner, but I enjoy the quiet.
""",
)

COOKING = Topic.parse(
    "cooking",
    "mushroom pie; lentil stew; flatbread; onion tart; rice pudding; potato gratin; noodle soup; carrot cake",
    """
! I want to make {thing} for a few friends. How do I make it less boring?
! I never manage {thing} the same way twice. What am I doing wrong?
! Could you help me plan a simple menu around {thing}?
? Can I prepare {thing} the day before?
? What would you serve next to {thing}?
? How do I keep it from drying out?
? Is butter better than oil for this?
? Which spice would lift it a little?
? Does the pan matter that much?
? How do I see that {thing} can come out?
- Salt {thing} in stages and taste each time; you cannot take it out again.
- Let {thing} rest under a cloth before you cut it, so that the juices settle.
- Toast the spices dry until they smell, then add the fat.
- A squeeze of lemon at the end wakes up {thing} more than extra salt.
- Weigh the flour; cups make {thing} different every time.
- Brown in small batches, since a crowded pan steams instead of frying.
- Serve something crisp and sour beside {thing} to balance it.
- Use a heavy pan and patience rather than high heat.
- Most of {thing} can be prepared a day early and finished just before dinner.
- Cover it loosely with foil if the top gets dark too soon.
- Keep a cup of the cooking water; it saves many a sauce.
- Write the changes on the recipe card while you still remember them.
~ Two of my guests do not eat meat, so this suits us.
~ My oven runs hot on the left side.
~ Last time I forgot the salt altogether.
""",
)
