import { addChildren, el, setAttribute, setShown, setText, svg } from '../shell/dom.ts';
import { toDuration } from './durations.ts';
import { type Member, toMembers, toNumberText } from './members.ts';
import { Series } from './series.ts';

const keptPoints = 300;
const mostCharts = 12;
const [width, height] = [240, 40];

/** A member that is drawn. */
interface Chart {
  readonly series: Series;
  readonly path: SVGPathElement;
  readonly drawing: SVGSVGElement;
}

/** A member of the newest reading. */
interface Row {
  readonly element: HTMLElement;
  readonly value: HTMLElement;
  chart?: Chart;
}

/** The newest reading as a list, and how its numbers went lately. */
export class TelemetryPanel {
  readonly element: HTMLElement;
  readonly #age = el('p', { class: 'soft' });
  readonly #list = el('dl', { class: 'readings' });
  readonly #rows = new Map<string, Row>();
  #charts = 0;
  #dirty = false;

  constructor() {
    this.element = el(
      'section',
      { class: 'card', 'aria-labelledby': 'telemetry-title', hidden: true },
      el('div', { class: 'card-head' }, el('h2', { id: 'telemetry-title' }, 'Readings'), this.#age),
      this.#list,
    );
  }

  /** Takes a reading in; it is shown with the next `draw`. */
  take(reading: unknown): void {
    const members = toMembers(reading);
    const names = new Set(members.map(({ name }) => name));
    for (const member of members) this.#take(member);
    for (const [name, { element, chart }] of this.#rows) {
      if (names.has(name)) continue;
      element.remove();
      this.#rows.delete(name);
      if (chart) this.#charts--;
    }
    this.#dirty = true;
    setShown(this.element, true);
  }

  /** @param ageMs of the newest reading */
  draw(ageMs: number | undefined): void {
    setText(this.#age, ageMs === undefined ? '' : `${toDuration(ageMs)} ago`);
    if (!this.#dirty) return;
    this.#dirty = false;
    for (const { chart } of this.#rows.values()) if (chart) drawChart(chart);
  }

  #take({ name, text, number }: Member): void {
    const row = this.#rows.get(name) ?? this.#addRow(name);
    setText(row.value, text);
    if (number === undefined) return;
    if (!row.chart && this.#charts < mostCharts) {
      row.chart = toChart();
      addChildren(row.element, el('dd', { class: 'chart' }, row.chart.drawing));
      this.#charts++;
    }
    row.chart?.series.add(number);
  }

  #addRow(name: string): Row {
    const value = el('dd', { class: 'value' });
    const row: Row = { element: el('div', { class: 'reading' }, el('dt', {}, name), value), value };
    this.#rows.set(name, row);
    addChildren(this.#list, row.element);
    return row;
  }
}

function toChart(): Chart {
  const path = svg('path', { class: 'line', 'vector-effect': 'non-scaling-stroke' });
  const drawing = svg(
    'svg',
    {
      viewBox: `0 -2 ${width} ${height + 4}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': 'no course yet',
    },
    path,
  );
  return { series: new Series(keptPoints), path, drawing };
}

function drawChart({ series, path, drawing }: Chart): void {
  path.setAttribute('d', series.toPath(width, height));
  const [from, to] = [toNumberText(series.smallest), toNumberText(series.largest)];
  setAttribute(drawing, 'aria-label', `the last ${series.length}: from ${from} to ${to}`);
}
