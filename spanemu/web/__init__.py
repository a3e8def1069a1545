"""What spanemu's pages share: the shell of a page, the style sheet, the drawing of heatmaps.

In reading order: `page.html` and `style.css` (the shell of every page), `shell` (pages that are one
file), `heatmap.js` (the drawing). The pages are the report of a test run, the heatmap of a load and
the console.
"""
