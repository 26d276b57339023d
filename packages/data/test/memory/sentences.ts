const places = [
  'kitchen',
  'garage',
  'cellar',
  'office',
  'garden',
  'attic',
  'hallway',
  'workshop',
  'balcony',
  'pantry',
];
const things = [
  'printer',
  'router',
  'boiler',
  'camera',
  'battery',
  'ladder',
  'invoice',
  'password',
  'sensor',
  'lamp',
];
const states = [
  'broken',
  'replaced',
  'ordered',
  'missing',
  'checked',
  'borrowed',
  'repaired',
  'locked',
  'empty',
  'stored',
];
const people = ['Anna', 'Bruno', 'Chloe', 'Dmitri', 'Elif', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas'];

/** A sentence for a number; ten thousand of them differ, and share their words. */
export function sentence(i: number): string {
  // 7,919 is prime to 10,000: neighbours have nothing in common, and none comes twice.
  const mixed = (i * 7_919) % 10_000;
  const pick = (words: readonly string[], by: number) => words[Math.floor(mixed / by) % words.length] ?? '';
  return `The ${pick(things, 1)} in the ${pick(places, 10)} was ${pick(states, 100)} by ${pick(people, 1_000)} in week ${i % 53}, ticket ${i}`;
}
