import { checkParked } from './checks.ts';
import { ModelLeg } from './model-leg.ts';
import type { World } from './schedule.ts';

/** A commit on its way. */
interface Write {
  readonly leg: ModelLeg;
  readonly apply: () => void;
  /** Whoever made it goes on. */
  readonly heard: () => void;
  /** The root is not its any more. */
  readonly refuse: () => void;
}

/** A process that has the root: commits go out and are answered in their order, all else happens in any order. */
export class ModelProcess {
  readonly world: World;
  readonly tasks: (() => void)[] = [];
  readonly writes: Write[] = [];
  readonly answers: (() => void)[] = [];
  leg: ModelLeg | undefined;
  isDraining = false;
  isGivenUp = false;

  constructor(world: World) {
    this.world = world;
    const { store } = world;
    store.epoch++;
    store.status = 'running';
    this.#begin({ epoch: store.epoch, wakes: store.wakes });
  }

  /** Something of what is due, drawn at random. @returns whether anything was */
  step(): boolean {
    const { tasks, writes, answers, world } = this;
    const count = tasks.length + (writes.length > 0 ? 1 : 0) + (answers.length > 0 ? 1 : 0);
    if (count === 0) return false;
    const at = Math.floor(world.random() * count);
    const task = tasks[at];
    if (task) {
      // Any order: the last one takes its place.
      tasks[at] = tasks.at(-1) ?? task;
      tasks.pop();
      task();
    } else if (at === tasks.length && writes.length > 0) this.#store();
    else answers.shift()?.();
    return true;
  }

  drain(): void {
    this.isDraining = true;
    if (!this.leg) return;
    this.leg.isDraining = true;
    this.leg.happen({ on: 'drained' });
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.leg?.happen({ on: 'givenUp' });
  }

  /** What a root run does when a leg of it has ended. */
  left(leg: ModelLeg): void {
    const { store } = this.world;
    this.leg = undefined;
    const { end, epoch } = leg;
    if (end === 'released' || end === 'disturbed')
      this.#write(leg, () => {
        store.status = 'ready';
      });
    if (end !== 'held') return;
    this.#write(
      leg,
      () => {
        if (store.wakes === leg.wakes) this.#park(leg);
      },
      () => {
        if (store.status === 'running' && store.epoch === epoch) this.#begin({ epoch, wakes: store.wakes });
      },
    );
  }

  #park(leg: ModelLeg): void {
    const { store } = this.world;
    store.status = 'waiting';
    this.world.counts.parked++;
    checkParked(leg, store);
  }

  #begin(fence: { readonly epoch: number; readonly wakes: number }): void {
    // A decision may come between the fence and the reading.
    this.tasks.push(() => {
      const leg = new ModelLeg(this, fence);
      this.leg = leg;
      if (this.isDraining) this.drain();
      leg.begin(this.world.program);
      if (this.isGivenUp) this.giveUp();
    });
  }

  #write(leg: ModelLeg, apply: () => void, heard: () => void = () => {}): void {
    this.writes.push({ leg, apply, heard, refuse: () => {} });
  }

  #store(): void {
    const write = this.writes.shift();
    const { store } = this.world;
    if (!write) return;
    const isOurs = store.epoch === write.leg.epoch && store.status === 'running';
    if (isOurs) write.apply();
    this.answers.push(isOurs ? write.heard : write.refuse);
  }
}
