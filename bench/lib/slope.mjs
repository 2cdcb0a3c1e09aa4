// The slope of a noisy series, with its confidence interval.

/** Adjacent points are correlated; the means of this many sections hardly are. */
const STRETCHES = 20;
/** Student's t for 18 degrees of freedom, two-sided 95 %. */
const T_95 = 2.101;

/** `[x, y]` points with increasing x: least squares through the means of 20 sections; `error` is half the 95 % interval. */
export function slopeOf(points) {
  const size = points.length / STRETCHES;
  const means = Array.from({ length: STRETCHES }, (_, i) => {
    const some = points.slice(Math.round(i * size), Math.round((i + 1) * size));
    return [0, 1].map((axis) => some.reduce((sum, point) => sum + point[axis], 0) / some.length);
  });
  const mean = (axis) => means.reduce((sum, point) => sum + point[axis], 0) / STRETCHES;
  const [x0, y0] = [mean(0), mean(1)];
  const spread = means.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  const slope = means.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread;
  const rest = means.reduce((sum, [x, y]) => sum + (y - y0 - slope * (x - x0)) ** 2, 0);
  return { slope, error: T_95 * Math.sqrt(rest / (STRETCHES - 2) / spread) };
}
