extension StarterText {
  /// `.gitlab-ci.yml`.
  static var gitlabPipeline: String {
    #"""
    # The pin policy: looked at and probed in every merge request and scheduled pipeline, built and signed from the default
    # branch.
    #
    # Needs the CI/CD variables PINTLE_URL and PINTLE_SHA256 (see ci/pins), and, protected and of type File,
    # PINTLE_SIGNING_KEY: anybody who may run the job may sign.
    stages: [check, release]

    workflow:
      rules:
        - if: $CI_PIPELINE_SOURCE == "merge_request_event"
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

    .pins:
      image: debian:stable-slim
      timeout: 20 minutes
      before_script:
        - apt-get -qq update
        - apt-get -qq install -y --no-install-recommends ca-certificates curl git >/dev/null
        - ci/pins install

    check:
      extends: .pins
      stage: check
      script:
        - ci/pins check
      artifacts:
        when: always
        paths: [out/]
        reports:
          codequality: out/check.codequality.json
          junit: out/check.junit.xml

    compare:
      extends: .pins
      stage: check
      script:
        - ci/pins diff
      artifacts:
        when: always
        paths: [out/]
        reports:
          codequality: out/diff.codequality.json
          junit: out/diff.junit.xml

    servers:
      extends: .pins
      stage: check
      script:
        - ci/pins probe
      artifacts:
        when: always
        paths: [out/]
        reports:
          junit: out/probe.junit.xml

    release:
      extends: .pins
      stage: release
      rules:
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"
      environment: release
      script:
        - ci/pins build
        - ci/pins sign
        - ci/pins verify
      # Once clients are served it, commit it to released/ under the next number: it is the next baseline.
      artifacts:
        paths: [out/manifest.json]

    """#
  }
}
