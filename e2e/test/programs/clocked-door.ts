// Before everything else, which then knows no other clock.
import './settable-clock.ts';

await import('./watched-door.ts');
