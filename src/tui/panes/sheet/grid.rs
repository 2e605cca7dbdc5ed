//! The grid of a contact sheet: how many pictures fit into a window, and how large.

use ratatui::layout::Rect;

/// The fewest pictures of a sheet, if the window has room for them.
pub const FEWEST: usize = 6;
/// The most pictures of a sheet.
pub const MOST: usize = 40;
/// Rows of the smallest picture.
const SMALLEST: u16 = 3;
/// Columns of a tile beside its picture: the mark of the cursor and a gap.
const BESIDE: u16 = 2;
/// Rows of a tile below its picture: the caption.
const BELOW: u16 = 1;

/// Columns and rows of equal tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub columns: u16,
    pub rows: u16,
    area: Rect,
}

/// The parts of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The mark of the cursor.
    pub mark: Rect,
    pub picture: Rect,
    pub caption: Rect,
}

impl Grid {
    /// The grids that fit into `area`, with the largest pictures first. Each has more pictures than
    /// the one before.
    pub fn options(area: Rect) -> Vec<Grid> {
        let mut options: Vec<Grid> = Vec::new();
        for height in (SMALLEST..=area.height.saturating_sub(BELOW)).rev() {
            let grid = Grid::with_height(height, area);
            let known = options.last().map_or(FEWEST - 1, |last| last.count());
            if grid.count() > known {
                options.push(grid);
            }
        }
        if options.is_empty() {
            options.push(Grid::with_height(SMALLEST, area));
        }
        options
    }

    /// The grids with so many columns that fit into `area`, with the largest pictures first.
    pub fn tables(columns: usize, area: Rect) -> Vec<Grid> {
        let columns = columns.clamp(1, MOST) as u16;
        let most = (area.height / (SMALLEST + BELOW)).min(MOST as u16 / columns);
        let mut tables: Vec<Grid> = Vec::new();
        for rows in 1..=most.max(1) {
            let grid = Grid {
                columns,
                rows,
                area,
            };
            // Where the width is the limit, more rows have pictures of the same size.
            tables.pop_if(|last| last.height() == grid.height());
            tables.push(grid);
        }
        tables
    }

    /// Of these, the grid whose pictures are closest to this height, or larger if all `len` fit.
    pub fn nearest(options: &[Grid], height: u16, len: usize) -> Grid {
        let nearest = options
            .iter()
            .min_by_key(|grid| grid.height().abs_diff(height));
        let all = options.iter().find(|grid| grid.count() >= len);
        let larger = all.filter(|all| nearest.is_some_and(|near| all.count() < near.count()));
        larger.or(nearest).copied().unwrap_or(Grid {
            columns: 1,
            rows: 1,
            area: Rect::default(),
        })
    }

    /// As many pictures of at least this height as fit, at most [`MOST`]. A cell is about twice as
    /// high as wide.
    fn with_height(height: u16, area: Rect) -> Grid {
        let (columns, rows) = (
            (area.width / (2 * height + BESIDE)).max(1),
            (area.height / (height + BELOW)).max(1),
        );
        let most = MOST as u16;
        let (columns, rows) = if columns * rows <= most {
            (columns, rows)
        } else {
            let fewer_columns = ((most / rows.min(most)).min(columns), rows.min(most));
            let fewer_rows = (columns.min(most), (most / columns.min(most)).min(rows));
            let count = |(columns, rows): (u16, u16)| columns * rows;
            if count(fewer_columns) >= count(fewer_rows) {
                fewer_columns
            } else {
                fewer_rows
            }
        };
        Grid {
            columns,
            rows,
            area,
        }
    }

    /// The number of tiles.
    pub fn count(self) -> usize {
        usize::from(self.columns) * usize::from(self.rows)
    }

    /// Rows of a square picture in a tile.
    pub fn height(self) -> u16 {
        let (width, height) = self.tile_size();
        (height.saturating_sub(BELOW)).min(width.saturating_sub(BESIDE) / 2)
    }

    fn tile_size(self) -> (u16, u16) {
        (self.area.width / self.columns, self.area.height / self.rows)
    }

    /// The tile at a position, row by row.
    pub fn tile(self, at: usize) -> Tile {
        let (width, height) = self.tile_size();
        let columns = usize::from(self.columns);
        let (column, row) = ((at % columns) as u16, (at / columns) as u16);
        let tile = Rect {
            x: self.area.x + column * width,
            y: self.area.y + row * height,
            width,
            height,
        };
        let picture = Rect {
            x: tile.x + 1,
            width: width.saturating_sub(BESIDE),
            height: height.saturating_sub(BELOW),
            ..tile
        };
        Tile {
            mark: Rect { width: 1, ..tile },
            picture,
            caption: Rect {
                y: picture.bottom(),
                height: height.min(BELOW),
                ..picture
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(width: u16, height: u16) -> Vec<Grid> {
        Grid::options(Rect::new(2, 3, width, height))
    }

    #[test]
    fn every_grid_fits_its_window_and_has_6_to_40_pictures() {
        for (width, height) in [(60, 10), (80, 18), (100, 30), (160, 44), (200, 54)] {
            let grids = options(width, height);
            assert!(grids.len() > 1, "{width}x{height} has one size only");
            for grid in grids {
                assert!((FEWEST..=MOST).contains(&grid.count()), "{grid:?}");
                assert!(grid.height() >= SMALLEST, "{grid:?}");
                let last = grid.tile(grid.count() - 1);
                assert!(last.picture.right() <= 2 + width, "{grid:?}");
                assert_eq!(last.caption.bottom(), last.mark.bottom());
                assert!(last.caption.bottom() <= 3 + height, "{grid:?}");
            }
        }
    }

    #[test]
    fn larger_pictures_are_fewer() {
        for (width, height) in [(60, 10), (80, 18), (160, 44), (200, 54)] {
            let grids = options(width, height);
            assert!(grids.is_sorted_by(|a, b| a.count() < b.count() && a.height() >= b.height()));
        }
        assert_eq!(options(200, 54).last().map(|grid| grid.count()), Some(MOST));
    }

    #[test]
    fn tables_keep_their_columns_and_fit_their_window() {
        for (width, height) in [(60, 10), (80, 18), (160, 44), (200, 54), (3, 2), (0, 0)] {
            for columns in 1..=6 {
                let tables = Grid::tables(columns, Rect::new(2, 3, width, height));
                assert!(tables.is_sorted_by(|a, b| a.rows < b.rows && a.height() > b.height()));
                for grid in tables {
                    assert_eq!(usize::from(grid.columns), columns);
                    assert!((1..=MOST).contains(&grid.count()), "{grid:?}");
                    let last = grid.tile(grid.count() - 1);
                    assert!(last.picture.right() <= 2 + width.max(1), "{grid:?}");
                    assert!(last.caption.bottom() <= 3 + height, "{grid:?}");
                }
            }
        }
    }

    #[test]
    fn few_pictures_are_large() {
        let area = Rect::new(0, 0, 160, 44);
        let grids = Grid::options(area);
        let (few, many) = (Grid::nearest(&grids, 8, 2), Grid::nearest(&grids, 8, 100));
        assert!(few.height() > 2 * many.height() && few.count() >= FEWEST);
        assert_eq!(Grid::nearest(&grids, 8, many.count()), many);
    }

    #[test]
    fn a_tiny_window_has_a_grid() {
        for (width, height) in [(1, 1), (5, 2), (12, 3), (0, 0)] {
            let grids = options(width, height);
            assert_eq!(grids.len(), 1, "{width}x{height}");
            assert!(grids[0].count() >= 1);
            let tile = grids[0].tile(0);
            assert!(tile.picture.right() <= 2 + width.max(1), "{tile:?}");
        }
    }

    #[test]
    fn tiles_do_not_overlap() {
        let grid = Grid::nearest(&Grid::options(Rect::new(0, 0, 80, 18)), 5, 100);
        for a in 0..grid.count() {
            for b in a + 1..grid.count() {
                let (a, b) = (grid.tile(a), grid.tile(b));
                let parts = |t: Tile| [t.mark, t.picture, t.caption];
                let apart = |a: Rect| parts(b).iter().all(|b| a.intersection(*b).is_empty());
                assert!(parts(a).into_iter().all(apart), "{a:?} {b:?}");
            }
        }
    }
}
