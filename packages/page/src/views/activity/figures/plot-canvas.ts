import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';

/** What is drawn: a value for each label and series. */
export interface PlotData {
  /** Below the plot. */
  readonly labels: readonly string[];
  readonly series: readonly PlotSeries[];
  /** `bars` stand on each other, `lines` beside. */
  readonly shape: 'bars' | 'lines';
  /** Each label is written, slanted: they are names, and not days. */
  readonly areNames: boolean;
  readonly format: (value: number) => string;
}

export interface PlotSeries {
  readonly name: string;
  readonly color: string;
  readonly values: readonly (number | undefined)[];
}

interface PlotColors {
  readonly text: string;
  readonly grid: string;
  readonly font: string;
}

const height = 220;

/** Draws into the element, as wide as it is. Returns what takes it away. */
export function drawPlot(place: HTMLElement, data: PlotData, colors: PlotColors): () => void {
  const plot = new uPlot(optionsFor(data, colors, place.clientWidth), valuesOf(data), place);
  const watching = new ResizeObserver(() => {
    if (place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height });
  });
  watching.observe(place);
  return () => {
    watching.disconnect();
    plot.destroy();
  };
}

/** Bars are drawn from the highest to the lowest: each begins at the bottom, and covers what is below it. */
function valuesOf({ labels, series, shape }: PlotData): uPlot.AlignedData {
  const places = labels.map((_, index) => index);
  if (shape === 'lines') return [places, ...series.map(({ values }) => values.map((value) => value ?? null))];
  const sums = series.map((_, upTo) =>
    places.map((at) => series.slice(0, upTo + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
  return [places, ...sums.toReversed()];
}

function optionsFor(
  { labels, series, shape, areNames, format }: PlotData,
  { text, grid, font }: PlotColors,
  width: number,
): uPlot.Options {
  const lines = {
    stroke: text,
    font: `12px ${font}`,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
  };
  const bars = uPlot.paths.bars?.({ size: [0.7, 60] });
  const drawn = shape === 'bars' ? series.toReversed() : series;
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, Math.max(0, labels.length - 1) + 0.6] },
      y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.1 : 1] },
    },
    axes: [
      {
        ...lines,
        incrs: areNames ? [1] : [1, 2, 5, 7, 14, 30],
        values: (_, places) => places.map((at) => shortened(labels[at] ?? '')),
        space: areNames ? 1 : 76,
        ...(areNames ? { rotate: -35, size: 84 } : {}),
      },
      { ...lines, size: 74, values: (_, places) => places.map(format) },
    ],
    series: [
      {},
      ...drawn.map(({ name, color }) =>
        shape === 'bars' && bars !== undefined
          ? { label: name, stroke: color, fill: color, width: 0, paths: bars, points: { show: false } }
          : { label: name, stroke: color, width: 2, points: { show: true, size: 6, fill: color }, spanGaps: true },
      ),
    ],
  };
}

const longestLabel = 18;

function shortened(label: string): string {
  return label.length <= longestLabel ? label : `${label.slice(0, longestLabel - 1)}…`;
}
