use super::*;

fn roles_in(text: &str) -> Vec<String> {
    let value: toml::Table = toml::from_str(text).unwrap();
    value["roles"].as_table().unwrap().keys().cloned().collect()
}

#[test]
fn every_shipped_theme_has_every_role() {
    for (name, text) in SHIPPED {
        let have = roles_in(text);
        for role in Role::ALL {
            assert!(
                have.contains(&role.name().to_string()),
                "{name} lacks {}",
                role.name()
            );
        }
        Theme::shipped(name).unwrap();
    }
}

#[test]
fn text_contrasts_with_its_background_in_true_color_and_256_colors() {
    for name in ["dark", "light", "high-contrast", "color-blind"] {
        for level in [ColorLevel::True, ColorLevel::Ansi256] {
            let theme = Theme::shipped(name).unwrap().at(level);
            let ground = palette::rgb(theme.base().bg.unwrap()).unwrap();
            for role in Role::ALL.iter().filter(|r| !matches!(r, Role::Selection)) {
                let text = theme.style(Role::Text).fg;
                let ink = palette::rgb(theme.style(*role).fg.or(text).unwrap()).unwrap();
                let ratio = palette::contrast(ink, ground);
                let least = if name == "high-contrast" { 7.0 } else { 3.0 };
                assert!(
                    ratio >= least,
                    "{name} {level:?} {}: {ratio:.2}",
                    role.name()
                );
            }
            for step in 0..theme.heat.len() {
                let style = theme.heat((step as f32 + 0.5) / theme.heat.len() as f32);
                let (ink, ground) = (
                    palette::rgb(style.fg.unwrap()),
                    palette::rgb(style.bg.unwrap()),
                );
                assert!(
                    palette::contrast(ink.unwrap(), ground.unwrap()) >= 4.0,
                    "{name} heat {step}"
                );
            }
        }
    }
}

/// The 16 colors as terminals show them, with their dark and light backgrounds.
const TERMINALS: [(&str, [u32; 16], u32, u32); 6] = [
    (
        "xterm",
        [
            0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
            0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
        ],
        0x000000,
        0xffffff,
    ),
    (
        "VGA",
        [
            0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
            0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
        ],
        0x000000,
        0xffffff,
    ),
    (
        "Tango",
        [
            0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf,
            0x555753, 0xef2929, 0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
        ],
        0x000000,
        0xffffff,
    ),
    (
        "VS Code",
        [
            0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
            0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5,
        ],
        0x1e1e1e,
        0xffffff,
    ),
    (
        "Apple",
        [
            0x000000, 0x990000, 0x00a600, 0x999900, 0x0000b2, 0xb200b2, 0x00a6b2, 0xbfbfbf,
            0x666666, 0xe50000, 0x00d900, 0xe5e500, 0x4040ff, 0xe500e5, 0x00e5e5, 0xe5e5e5,
        ],
        0x000000,
        0xffffff,
    ),
    (
        "Solarized",
        [
            0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5,
            0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
        ],
        0x002b36,
        0xfdf6e3,
    ),
];

#[test]
fn text_contrasts_on_dark_and_light_terminals_with_16_colors() {
    let rgb = |n: u32| {
        let [_, r, g, b] = n.to_be_bytes();
        [r, g, b]
    };
    for (terminal, sixteen, dark, light) in TERMINALS {
        for (name, ground) in [
            ("dark", dark),
            ("light", light),
            ("high-contrast", dark),
            ("color-blind", dark),
        ] {
            let theme = Theme::shipped(name).unwrap().at(ColorLevel::Ansi16);
            assert_eq!(theme.base().bg, None, "the terminal's own");
            for role in Role::ALL {
                let Some(ink) = theme.style(*role).fg.filter(|ink| *ink != Color::Reset) else {
                    continue;
                };
                let at = palette::ANSI
                    .iter()
                    .skip(1)
                    .position(|(_, c)| *c == ink)
                    .unwrap();
                let ratio = palette::contrast(rgb(sixteen[at]), rgb(ground));
                assert!(
                    ratio >= 2.9,
                    "{terminal}, {name}, {}: {ink} {ratio:.2}",
                    role.name()
                );
            }
        }
    }
}

#[test]
fn heat_steps_stay_distinct_and_ordered_under_color_blindness() {
    for name in ["dark", "light"] {
        let heat = Theme::shipped(name).unwrap().heat;
        assert!(heat.len() >= 5);
        let coarse: std::collections::HashSet<u8> =
            heat.iter().map(|c| palette::nearest_256(*c)).collect();
        assert_eq!(
            coarse.len(),
            heat.len(),
            "{name}: two steps are one colour of 256"
        );
        let eyes = [
            palette::Eye::Typical,
            palette::Eye::Protanopia,
            palette::Eye::Deuteranopia,
        ];
        for eye in eyes {
            let light: Vec<f64> = heat
                .iter()
                .map(|c| palette::luminance_seen(*c, eye))
                .collect();
            let rising = light[0] < light[1];
            for pair in light.windows(2) {
                assert_eq!(pair[0] < pair[1], rising, "{name} {eye:?} turns: {light:?}");
                let (high, low) = (pair[0].max(pair[1]) + 0.05, pair[0].min(pair[1]) + 0.05);
                assert!(high / low > 1.2, "{name} {eye:?} steps too near: {light:?}");
            }
        }
    }
}

#[test]
fn mono_uses_modifiers_only() {
    for (name, _) in SHIPPED {
        let theme = Theme::shipped(name).unwrap().at(ColorLevel::Mono);
        for role in Role::ALL {
            let style = theme.style(*role);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {}", role.name());
        }
        assert!(
            theme
                .style(Role::Selection)
                .add_modifier
                .contains(Modifier::REVERSED)
        );
        assert_eq!((theme.base().fg, theme.heat(0.9).bg), (None, None));
        assert_ne!(theme.style(Role::Good), theme.style(Role::Bad));
    }
}

#[test]
fn a_user_theme_overrides_lines_and_keeps_the_rest() {
    let text = "base = \"light\"\n[roles]\ngood = \"#01aa00\"\n";
    let theme = Theme::read(text, Path::new("mine.toml")).unwrap();
    assert_eq!(theme.style(Role::Good).fg, Some(Color::Rgb(1, 0xaa, 0)));
    assert_eq!(
        theme.style(Role::Bad),
        Theme::shipped("light").unwrap().style(Role::Bad)
    );
    assert_eq!(
        theme.at(ColorLevel::Ansi16).style(Role::Good).fg,
        Some(Color::Green)
    );
}

#[test]
fn a_bad_theme_reports_file_line_and_field() {
    let cases = [
        ("background = \"#12\"\n", 1, "background"),
        ("\nbase = \"sepia\"\n", 2, "base"),
        (
            "[roles]\ntext = \"#ffffff\"\ngood = { fg = \"green\" }\n",
            3,
            "roles.good.fg",
        ),
        ("[roles]\nshine = \"#ffffff\"\n", 2, "roles.shine"),
        ("[roles]\ntext = { blink = true }\n", 2, "roles.text.blink"),
        ("[roles]\ntext = { bold = 1 }\n", 2, "roles.text.bold"),
        ("[roles]\ntext = 7\n", 2, "roles.text"),
        ("heat = [\"#000000\",\n\"#zz0000\"]\n", 2, "heat"),
        ("glow = 1\n", 1, "glow"),
    ];
    for (text, line, field) in cases {
        let problem = Theme::read(text, Path::new("mine.toml")).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Input, "{text}");
        assert_eq!(
            problem.place.file.as_deref(),
            Some(Path::new("mine.toml")),
            "{text}"
        );
        assert_eq!(
            (problem.place.line, problem.place.field.as_deref()),
            (Some(line), Some(field)),
            "{text}"
        );
    }
    let problem = Theme::read("[roles\n", Path::new("mine.toml")).unwrap_err();
    assert_eq!(problem.place.line, Some(1));
}

#[test]
fn color_blind_eyes_tell_the_verdicts_apart() {
    let theme = Theme::shipped("color-blind").unwrap();
    let eyes = [
        palette::Eye::Typical,
        palette::Eye::Protanopia,
        palette::Eye::Deuteranopia,
    ];
    for eye in eyes {
        let light = |role| {
            let color = palette::rgb(theme.style(role).fg.unwrap()).unwrap();
            palette::luminance_seen(color, eye) + 0.05
        };
        let (good, bad, warn) = (light(Role::Good), light(Role::Bad), light(Role::Warn));
        for (one, other) in [(good, bad), (bad, warn)] {
            let ratio = one.max(other) / one.min(other);
            assert!(ratio >= 1.4, "{eye:?}: {ratio:.2}");
        }
    }
}
