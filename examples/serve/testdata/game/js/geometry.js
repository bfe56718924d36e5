export const within = (value, low, high) => Math.min(Math.max(value, low), high);
export const near = (a, b, distance) => Math.hypot(a.x - b.x, a.y - b.y) < distance;
