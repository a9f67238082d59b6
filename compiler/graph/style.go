package graph

// style is how the picture looks, in light and in dark surroundings. The colours of
// text have a contrast of at least 4.5 to what they stand on.
const style = `svg { color-scheme: light dark;
  --page: #ffffff; --card: #ffffff; --panel: #f6f7f9; --line: #d3d8e0; --ink: #1b2230; --muted: #5b6576;
  --way: #8b95a6; --read: #3b82f6; --write: #d97706; --destructive: #dc2626; --unknown: #9ca3af; --pure: #c5ccd6; --ask: #8b5cf6;
  --ok: #15803d; --error: #b91c1c; --wait: #6d28d9; --when: #7c3aed; --order: #b45309; }
@media (prefers-color-scheme: dark) { svg {
  --page: #12161d; --card: #1b212b; --panel: #171c24; --line: #374151; --ink: #e8ecf2; --muted: #a0abbc;
  --way: #6f7c90; --read: #60a5fa; --write: #f59e0b; --destructive: #f87171; --unknown: #6b7280; --pure: #475063; --ask: #a78bfa;
  --ok: #4ade80; --error: #f87171; --wait: #c4b5fd; --when: #a78bfa; --order: #fbbf24; } }
text { font: 11px Arial, Helvetica, "Liberation Sans", sans-serif; fill: var(--ink); white-space: pre; }
.title { font-size: 18px; font-weight: bold; }
.name { font-size: 13px; font-weight: bold; }
.code { font-family: ui-monospace, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; fill: var(--ink); }
.label, .muted { fill: var(--muted); }
.plain { fill: var(--ink); }
.bad { fill: var(--error); }
.halo { paint-order: stroke; stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
.tag { font-size: 10px; fill: var(--order); }
.page { fill: var(--page); }
.panel { fill: var(--panel); stroke: var(--line); }
.card { fill: var(--card); stroke: var(--line); }
.stripe { fill: var(--pure); }
.step.read > .stripe { fill: var(--read); }
.step.write > .stripe { fill: var(--write); }
.step.destructive > .stripe { fill: var(--destructive); }
.step.unknown > .stripe { fill: var(--unknown); }
.step.ask > .stripe { fill: var(--ask); }
.step.run > .card { fill: var(--panel); }
.badge { fill: var(--muted); }
.seen-ok > .badge { fill: var(--ok); }
.seen-error > .badge { fill: var(--error); }
.seen-error > .card { stroke: var(--error); stroke-width: 1.6; }
.seen-in_doubt > .badge, .seen-waiting > .badge, .seen-running > .badge { fill: var(--wait); }
.seen-in_doubt > .card, .seen-waiting > .card, .seen-running > .card { stroke: var(--wait); stroke-width: 1.6; }
.seen-skipped > .card, .seen-pending > .card { stroke-dasharray: 4 3; }
.seen-skipped > text, .seen-pending > text { fill: var(--muted); }
.divide { stroke: var(--line); stroke-dasharray: 2 4; fill: none; }
.way { fill: none; stroke: var(--way); stroke-width: 1.4; }
.head { fill: var(--way); }
.for_each .way { stroke-width: 2.6; }
.when .way { stroke: var(--when); }
.when .head { fill: var(--when); }
.depends_on .way { stroke-dasharray: 6 4; }
.order .way { stroke: var(--order); stroke-dasharray: 2 3; }
.order .head { fill: var(--order); }
`
