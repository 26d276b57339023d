// Builds the packages whose sources have changed, with declarations, before tiers of tests that run side by side.
import { buildStale } from './build-packages.ts';

buildStale();
