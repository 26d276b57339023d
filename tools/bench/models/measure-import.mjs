// Imports all of its arguments, and says how many milliseconds of CPU the last one took.
let took = process.cpuUsage();
for (const name of process.argv.slice(2)) {
  const before = process.cpuUsage();
  await import(name);
  took = process.cpuUsage(before);
}
console.log((took.user + took.system) / 1000);
