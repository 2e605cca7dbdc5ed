//! Which models or subtasks are similar: agglomerative clustering, and its tree as text.
//!
//! Source: Mullner, "Modern hierarchical, agglomerative clustering algorithms" (2011), the
//! nearest-neighbor chain. Merges, heights, and the order of equal distances match
//! `scipy.cluster.hierarchy.linkage`.

use benchtop_model::analysis::{Linkage, Merge};

/// The merges of these points (Euclidean distance), nearest first. `None` if points differ in
/// length or are not finite. Fewer than two points have no merges. O(n^2) memory and O(n^2) to
/// O(n^3) time: meant for hundreds of points.
pub fn linkage(points: &[Vec<f64>], method: Linkage) -> Option<Vec<Merge>> {
    let n = points.len();
    let width = points.first().map_or(0, Vec::len);
    if points
        .iter()
        .any(|p| p.len() != width || p.iter().any(|x| !x.is_finite()))
    {
        return None;
    }
    let apart = |a: &[f64], b: &[f64]| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let mut far: Vec<Vec<f64>> = points
        .iter()
        .map(|a| points.iter().map(|b| apart(a, b)).collect())
        .collect();
    let mut sizes = vec![1usize; n];
    let (mut chain, mut merges): (Vec<usize>, Vec<Merge>) = (Vec::new(), Vec::new());
    while merges.len() + 1 < n {
        if chain.is_empty() {
            chain.extend(sizes.iter().position(|size| *size > 0));
        }
        let (x, y, height) = mutual(&far, &sizes, &mut chain)?;
        let (x, y) = (x.min(y), x.max(y));
        let (of_x, of_y) = (sizes[x], sizes[y]);
        merges.push(Merge {
            a: x,
            b: y,
            height,
            size: of_x + of_y,
        });
        (sizes[x], sizes[y]) = (0, of_x + of_y);
        for i in (0..n).filter(|i| *i != y) {
            if sizes[i] > 0 {
                let new = distance(
                    method,
                    (far[i][x], far[i][y], height),
                    [of_x, of_y, sizes[i]].map(|s| s as f64),
                );
                (far[i][y], far[y][i]) = (new, new);
            }
        }
    }
    merges.sort_by(|a, b| a.height.total_cmp(&b.height));
    number(&mut merges, n);
    Some(merges)
}

/// Follows the chain of nearest neighbors until two are each other's nearest, and removes them from
/// the chain. Of equally near ones, the predecessor in the chain wins, else the first.
fn mutual(
    far: &[Vec<f64>],
    sizes: &[usize],
    chain: &mut Vec<usize>,
) -> Option<(usize, usize, f64)> {
    loop {
        let x = *chain.last()?;
        let before = chain
            .len()
            .checked_sub(2)
            .and_then(|at| chain.get(at))
            .copied();
        let mut nearest = before.map(|y| (y, far[x][y]));
        for (i, distance) in far[x]
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != x && sizes[*i] > 0)
        {
            if nearest.is_none_or(|(_, least)| *distance < least) {
                nearest = Some((i, *distance));
            }
        }
        let (y, distance) = nearest?;
        if Some(y) == before {
            chain.truncate(chain.len() - 2);
            return Some((x, y, distance));
        }
        chain.push(y);
    }
}

/// The distance of i from the union of x and y (Lance and Williams, 1967), from the distances
/// (i to x, i to y, x to y) and the sizes.
fn distance(method: Linkage, (ix, iy, xy): (f64, f64, f64), [x, y, i]: [f64; 3]) -> f64 {
    match method {
        Linkage::Average => (x * ix + y * iy) / (x + y),
        Linkage::Ward => {
            let t = 1.0 / (x + y + i);
            ((i + x) * t * ix * ix + (i + y) * t * iy * iy - i * t * xy * xy)
                .max(0.0)
                .sqrt()
        }
    }
}

/// Numbers merged clusters by their merges.
fn number(merges: &mut [Merge], n: usize) {
    let mut parent: Vec<usize> = (0..2 * n).collect();
    let mut sizes = vec![1; 2 * n];
    let root = |parent: &[usize], mut at: usize| {
        while parent[at] != at {
            at = parent[at];
        }
        at
    };
    for (i, merge) in merges.iter_mut().enumerate() {
        let (a, b) = (root(&parent, merge.a), root(&parent, merge.b));
        (merge.a, merge.b, merge.size) = (a.min(b), a.max(b), sizes[a] + sizes[b]);
        (parent[a], parent[b], sizes[n + i]) = (n + i, n + i, merge.size);
    }
}

/// The points from top to bottom, so that no lines of the tree cross. The first cluster of a merge
/// is above the second.
pub fn leaves(merges: &[Merge]) -> Vec<usize> {
    let n = merges.len() + 1;
    let (mut found, mut left) = (Vec::new(), vec![n + merges.len() - 1]);
    while let Some(at) = left.pop() {
        match at.checked_sub(n).and_then(|at| merges.get(at)) {
            Some(merge) => left.extend([merge.b, merge.a]),
            None => found.push(at),
        }
    }
    found
}

/// The characters of a drawn tree: horizontal and vertical lines, upper and lower ends, and the
/// junctions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strokes {
    across: char,
    down: char,
    top: char,
    bottom: char,
    joint: char,
    corner: char,
}

impl Strokes {
    /// Box-drawing characters.
    pub const LINES: Strokes = Strokes {
        across: '─',
        down: '│',
        top: '┐',
        bottom: '┘',
        joint: '├',
        corner: '┬',
    };
    pub const PLAIN: Strokes = Strokes {
        across: '-',
        down: '|',
        top: '+',
        bottom: '+',
        joint: '+',
        corner: '+',
    };
}

/// The tree as lines of `width` characters, one per point, in the order of [`leaves`]. Lines start
/// at the points and join in proportion to their height, with the last merge at the right edge. The
/// caller puts names before the lines. Empty without merges; at least 4 characters wide.
pub fn drawn(merges: &[Merge], width: usize, strokes: Strokes) -> Vec<String> {
    let Some(last) = merges.last() else {
        return Vec::new();
    };
    let (n, width) = (merges.len() + 1, width.max(4));
    let column = |height: f64| {
        let share = if last.height > 0.0 {
            height / last.height
        } else {
            1.0
        };
        1 + (share * (width - 2) as f64).round() as usize
    };
    let mut rows = vec![0; n];
    leaves(merges)
        .into_iter()
        .enumerate()
        .for_each(|(row, point)| rows[point] = row);
    let mut cells = vec![vec![' '; width]; n];
    // Row and column where each cluster's line begins.
    let mut begins: Vec<(usize, usize)> = rows.into_iter().map(|row| (row, 0)).collect();
    for merge in merges {
        let ((top, from_top), (bottom, from_bottom)) = (begins[merge.a], begins[merge.b]);
        let (end, row) = (column(merge.height), (top + bottom) / 2);
        for (row, from) in [(top, from_top), (bottom, from_bottom)] {
            cells[row][from.min(end)..end]
                .iter_mut()
                .filter(|c| **c == ' ')
                .for_each(|c| *c = strokes.across);
        }
        for line in &mut cells[top + 1..bottom] {
            line[end] = strokes.down;
        }
        (cells[top][end], cells[bottom][end]) = (strokes.top, strokes.bottom);
        if end + 1 < width {
            cells[row][end] = if row == top {
                strokes.corner
            } else {
                strokes.joint
            };
        }
        begins.push((row, end + 1));
    }
    cells
        .into_iter()
        .map(|line| line.into_iter().collect::<String>().trim_end().to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Vec<f64>> {
        [0.0, 1.0, 5.0, 5.5, 20.0].map(|x| vec![x]).to_vec()
    }

    #[test]
    fn near_points_merge_first() {
        let merges = linkage(&points(), Linkage::Average).unwrap();
        let said: Vec<_> = merges
            .iter()
            .map(|m| (m.a, m.b, m.height, m.size))
            .collect();
        assert_eq!(
            said,
            [
                (2, 3, 0.5, 2),
                (0, 1, 1.0, 2),
                (5, 6, 4.75, 4),
                (4, 7, 17.125, 5)
            ]
        );
        assert_eq!(leaves(&merges), [4, 2, 3, 0, 1]);
    }

    #[test]
    fn too_few_or_invalid_points_have_no_tree() {
        assert_eq!(linkage(&[], Linkage::Ward), Some(Vec::new()));
        assert_eq!(linkage(&[vec![1.0]], Linkage::Ward), Some(Vec::new()));
        assert_eq!(linkage(&[vec![1.0], vec![]], Linkage::Ward), None);
        assert_eq!(linkage(&[vec![1.0], vec![f64::NAN]], Linkage::Ward), None);
        assert!(drawn(&[], 20, Strokes::LINES).is_empty());
        assert_eq!(leaves(&[]), [0]);
    }

    #[test]
    fn tree_is_drawn_as_text() {
        let merges = linkage(&points(), Linkage::Average).unwrap();
        let lines = drawn(&merges, 20, Strokes::LINES);
        let expected = [
            "───────────────────┐",
            "──┬───┐            │",
            "──┘   ├────────────┘",
            "──┬───┘",
            "──┘",
        ];
        assert_eq!(lines, expected);
        let plain = drawn(&merges, 20, Strokes::PLAIN);
        assert!(
            plain.iter().all(|l| l.is_ascii() && l.len() <= 20),
            "{plain:?}"
        );
        // Equal points: one step.
        let same = linkage(&vec![vec![1.0]; 3], Linkage::Ward).unwrap();
        assert_eq!(drawn(&same, 6, Strokes::PLAIN).len(), 3);
    }
}
